-- How many entries of the ledger are about a member.
ALTER TABLE group_members ADD COLUMN entries bigint NOT NULL DEFAULT 0;

UPDATE group_members m SET entries = counted.entries
FROM (SELECT group_id, user_id, count(*) AS entries FROM transactions GROUP BY group_id, user_id) AS counted
WHERE (m.group_id, m.user_id) = (counted.group_id, counted.user_id);

CREATE FUNCTION count_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE group_members SET entries = entries + 1 WHERE group_id = NEW.group_id AND user_id = NEW.user_id;
    RETURN NULL;
END $$;
CREATE TRIGGER transactions_counted AFTER INSERT ON transactions
    FOR EACH ROW EXECUTE FUNCTION count_entry();
