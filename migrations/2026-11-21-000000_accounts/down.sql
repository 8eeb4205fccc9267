DROP TABLE group_members, groups, access_requests, login_requests, login_codes, user_settings, user_photos, users;
DROP FUNCTION refuse_change;
