ALTER TABLE responses DROP COLUMN cache_write_tokens;
ALTER TABLE responses DROP COLUMN reasoning_tokens;

ALTER TABLE simulations DROP COLUMN cache_write_tokens;
ALTER TABLE simulations DROP COLUMN reasoning_tokens;
