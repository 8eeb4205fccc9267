ALTER TABLE login_requests DROP COLUMN known;
DROP TABLE login_tries;
-- One code a user; codes live for ten minutes.
DELETE FROM login_codes;
DROP INDEX login_codes_user;
ALTER TABLE login_codes DROP COLUMN id;
ALTER TABLE login_codes ADD COLUMN tries smallint NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 5);
ALTER TABLE login_codes ADD PRIMARY KEY (user_id);
