-- A run's entry grows with every batch of answers. While its amount stands in no index, growing is a change of the row
-- alone; in one, it is a new entry in every index of the ledger. Sorting by the amount is asked for rarely: it sorts.
DROP INDEX transactions_amount;
