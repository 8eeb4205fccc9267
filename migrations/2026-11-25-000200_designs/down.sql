ALTER TABLE surveys DROP COLUMN design;
ALTER TABLE questions DROP COLUMN logic;
