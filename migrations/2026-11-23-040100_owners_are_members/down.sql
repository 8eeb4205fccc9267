-- Owners who have used their membership stay members.
DELETE FROM group_members m USING groups g
WHERE g.id = m.group_id AND g.owner_id = m.user_id AND m.budget = 0
    AND NOT EXISTS (SELECT FROM transactions t WHERE t.group_id = m.group_id AND t.user_id = m.user_id)
    AND NOT EXISTS (SELECT FROM surveys s WHERE s.group_id = m.group_id AND s.user_id = m.user_id);
