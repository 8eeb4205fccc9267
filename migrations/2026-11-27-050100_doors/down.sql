ALTER TABLE group_members DROP COLUMN accepted_at;
DROP INDEX mails_low_budget;
ALTER TABLE users DROP COLUMN credit_ceiling;
DELETE FROM mails WHERE kind = 'codes_blocked';
ALTER TABLE mails DROP CONSTRAINT mails_kind_check;
ALTER TABLE mails ADD CONSTRAINT mails_kind_check CHECK (kind IN ('sign_in', 'invitation', 'access_requested',
    'access_approved', 'access_rejected', 'run_ended', 'run_paused', 'low_budget'));
DROP INDEX login_tries_failed;
ALTER TABLE login_tries DROP COLUMN failed;
