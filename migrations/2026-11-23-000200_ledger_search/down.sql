-- The extension stays: others may use it by now.
DROP INDEX IF EXISTS transactions_description;

CREATE FUNCTION trigrams(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 250 AS $$
    SELECT ARRAY(
        SELECT substr(lowered, place, 3)
        FROM lower($1) AS lowered, generate_series(1, length(lowered) - 2) AS place)
$$;
CREATE INDEX transactions_description ON transactions USING gin (trigrams(description)) WITH (fastupdate = off);
ALTER INDEX transactions_description ALTER COLUMN 1 SET STATISTICS 10;
