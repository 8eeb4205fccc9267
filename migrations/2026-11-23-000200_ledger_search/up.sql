-- The ledger's descriptions are searched with ILIKE. pg_trgm indexes such searches; it is a trusted extension, which the
-- owner of a database may create. Where the server does not have or does not allow it, the search works without an index.

DROP INDEX transactions_description;
DROP FUNCTION trigrams(text);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE INDEX transactions_description ON transactions USING gin (description gin_trgm_ops);
    END IF;
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'the ledger is searched without an index: %', SQLERRM;
END $$;
