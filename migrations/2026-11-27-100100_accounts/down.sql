DROP TABLE access_tokens, session_secret, ended_sessions, login_tries, login_requests, login_codes, access_requests,
    user_settings, user_photos, users;
DROP FUNCTION refuse_change;
