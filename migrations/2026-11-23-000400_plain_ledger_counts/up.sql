-- Lists count the ledger by count(*).
DROP TRIGGER transactions_counted ON transactions;
DROP FUNCTION count_entry();
ALTER TABLE group_members DROP COLUMN entries;
