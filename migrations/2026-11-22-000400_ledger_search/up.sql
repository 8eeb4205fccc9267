-- People look for a piece of an entry's description. What holds a text in letters of either case holds every three
-- letters of it, which an index finds; no extension is needed for it. A description never changes, so that a run's entry
-- still grows without a new entry in any index.

-- Every three letters that follow each other, in lower case, which is what ILIKE compares. The cost is what it takes
-- beside a comparison: an index is to save it.
CREATE FUNCTION trigrams(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 250 AS $$
    SELECT ARRAY(
        SELECT substr(lowered, place, 3)
        FROM lower($1) AS lowered, generate_series(1, length(lowered) - 2) AS place)
$$;

-- Without a list of what is still to be taken in: it would be searched from end to end, and emptied by whoever books next.
CREATE INDEX transactions_description ON transactions USING gin (trigrams(description)) WITH (fastupdate = off);
ALTER INDEX transactions_description ALTER COLUMN 1 SET STATISTICS 10;
