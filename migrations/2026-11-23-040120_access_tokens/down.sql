DROP TABLE ended_sessions;
DROP TABLE access_tokens;
