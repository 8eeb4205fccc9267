-- Tokens that the model server counts apart and that may have a price of their own.

-- The part of completion_tokens that a model spent on reasoning before its answer.
ALTER TABLE simulations ADD COLUMN reasoning_tokens bigint NOT NULL DEFAULT 0;
-- The part of prompt_tokens that the server wrote to its cache.
ALTER TABLE simulations ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0;

ALTER TABLE responses ADD COLUMN reasoning_tokens integer NOT NULL DEFAULT 0;
ALTER TABLE responses ADD COLUMN cache_write_tokens integer NOT NULL DEFAULT 0;
