UPDATE responses SET latency_ms = 0 WHERE latency_ms IS NULL;
ALTER TABLE responses ALTER COLUMN latency_ms SET NOT NULL;
ALTER TABLE batch_calls DROP COLUMN reply_tokens;
ALTER TABLE simulation_batches DROP COLUMN limit_reached;
