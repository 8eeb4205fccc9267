-- Lists count the ledger's entries when they are asked for.
DROP TRIGGER transactions_counted ON transactions;
DROP FUNCTION count_entry();
ALTER TABLE group_members DROP COLUMN entries;
