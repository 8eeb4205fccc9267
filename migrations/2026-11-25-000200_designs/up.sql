-- What an experiment adds to a survey: conditions, orders and codes of its questions, and the flow over them. Empty
-- objects: a plain survey.
ALTER TABLE questions ADD COLUMN logic jsonb NOT NULL DEFAULT '{}';
ALTER TABLE surveys ADD COLUMN design jsonb NOT NULL DEFAULT '{}';
