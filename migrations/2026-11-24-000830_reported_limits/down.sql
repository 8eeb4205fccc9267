ALTER TABLE model_server DROP COLUMN requests_per_minute, DROP COLUMN tokens_per_minute;
