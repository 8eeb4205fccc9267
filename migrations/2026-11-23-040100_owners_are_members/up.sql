-- The owner of a group is a member of it, so that they can have surveys there. Budget 0: owners grant themselves credits
-- as they do anybody else.
INSERT INTO group_members (group_id, user_id)
SELECT g.id, g.owner_id FROM groups g JOIN users u ON u.id = g.owner_id
WHERE g.deleted_at IS NULL AND u.deleted_at IS NULL
ON CONFLICT (group_id, user_id) DO UPDATE SET removed_at = NULL, status = 'active', updated_at = now()
WHERE group_members.removed_at IS NOT NULL OR group_members.status <> 'active';
