-- The server ended the batch because more tokens would wait in batches than the account may have there.
ALTER TABLE simulation_batches ADD COLUMN limit_reached boolean NOT NULL DEFAULT false;
-- That the call's reply is expected to have: what is under way counts as spent.
ALTER TABLE batch_calls ADD COLUMN reply_tokens integer NOT NULL DEFAULT 0;
-- What came with a batch has none.
ALTER TABLE responses ALTER COLUMN latency_ms DROP NOT NULL;
