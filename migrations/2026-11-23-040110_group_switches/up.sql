-- What members may ask of the model server: full texts and one-question calls cost many times as many tokens.
ALTER TABLE groups ADD COLUMN allow_full_personas boolean NOT NULL DEFAULT true;
ALTER TABLE groups ADD COLUMN allow_single_question_calls boolean NOT NULL DEFAULT true;
