ALTER TABLE groups DROP COLUMN allow_single_question_calls;
ALTER TABLE groups DROP COLUMN allow_full_personas;
