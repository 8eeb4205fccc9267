ALTER TABLE groups DROP COLUMN credit_ceiling;
