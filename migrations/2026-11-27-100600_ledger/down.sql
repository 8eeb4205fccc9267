DROP TABLE transactions;
DROP FUNCTION count_entries;
DROP FUNCTION transactions_guard;
-- pg_trgm stays: the database may have had it before.
