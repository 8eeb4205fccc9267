CREATE INDEX transactions_amount ON transactions (amount, id);
