DROP TABLE session_secret;
