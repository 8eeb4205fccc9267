ALTER TABLE transactions DROP COLUMN searched;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
        CREATE INDEX transactions_description ON transactions USING gin (description gin_trgm_ops);
    END IF;
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'the ledger is searched without an index: %', SQLERRM;
END $$;
