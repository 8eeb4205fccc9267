ALTER TABLE user_photos DROP COLUMN name;
