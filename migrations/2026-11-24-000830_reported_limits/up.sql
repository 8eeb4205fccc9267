-- The limits a minute that the model server's headers named last, for estimates; null: it named none.
ALTER TABLE model_server
    ADD COLUMN requests_per_minute bigint,
    ADD COLUMN tokens_per_minute bigint;
