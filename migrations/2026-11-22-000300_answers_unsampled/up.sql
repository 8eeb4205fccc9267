-- Nothing chooses answers by what they say or where they came from. To sample and sort those columns takes ANALYZE most
-- of its time, and it runs beside every run.
ALTER TABLE responses
    ALTER COLUMN answer SET STATISTICS 0,
    ALTER COLUMN answer_value SET STATISTICS 0,
    ALTER COLUMN option_order SET STATISTICS 0,
    ALTER COLUMN attempt SET STATISTICS 0,
    ALTER COLUMN model SET STATISTICS 0,
    ALTER COLUMN fingerprint SET STATISTICS 0,
    ALTER COLUMN prompt_hash SET STATISTICS 0,
    ALTER COLUMN latency_ms SET STATISTICS 0,
    ALTER COLUMN prompt_tokens SET STATISTICS 0,
    ALTER COLUMN cached_tokens SET STATISTICS 0,
    ALTER COLUMN completion_tokens SET STATISTICS 0,
    ALTER COLUMN created_at SET STATISTICS 0;
