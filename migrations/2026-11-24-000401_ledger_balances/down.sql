DROP INDEX transactions_member;
CREATE INDEX transactions_member ON transactions (group_id, user_id);
