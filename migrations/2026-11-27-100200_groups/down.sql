DROP TABLE group_members, groups;
