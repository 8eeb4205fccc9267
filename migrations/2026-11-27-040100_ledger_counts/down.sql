DROP TRIGGER transactions_counted ON transactions;
DROP FUNCTION count_entries();
ALTER TABLE group_members DROP COLUMN entries;
