-- A member's entries in the order in which their balance is summed.
DROP INDEX transactions_member;
CREATE INDEX transactions_member ON transactions (group_id, user_id, created_at, id);
