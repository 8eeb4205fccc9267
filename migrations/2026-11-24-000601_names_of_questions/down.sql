ALTER TABLE questions DROP COLUMN name;
