-- Pictures in pages send no token: who knows the photo's name may see it, and the name cannot be guessed.
ALTER TABLE user_photos ADD COLUMN name uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE user_photos ADD CONSTRAINT user_photos_name_key UNIQUE (name);
