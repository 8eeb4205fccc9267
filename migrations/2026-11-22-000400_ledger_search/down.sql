DROP INDEX transactions_description;
DROP FUNCTION trigrams(text);
