-- Whether a code was compared and did not match: what an e-mail has only so many of in a day.
ALTER TABLE login_tries ADD COLUMN failed boolean NOT NULL DEFAULT true;
CREATE INDEX login_tries_failed ON login_tries (email, created_at) WHERE failed;

-- Their owner is told that codes are not accepted for a day.
ALTER TABLE mails DROP CONSTRAINT mails_kind_check;
ALTER TABLE mails ADD CONSTRAINT mails_kind_check CHECK (kind IN ('sign_in', 'invitation', 'access_requested',
    'access_approved', 'access_rejected', 'run_ended', 'run_paused', 'low_budget', 'codes_blocked'));

-- How many credits the owner of groups may have granted to members of all of them, spent ones included. Null: as many as
-- the configuration says.
ALTER TABLE users ADD COLUMN credit_ceiling bigint
    CONSTRAINT users_ceiling_not_negative CHECK (credit_ceiling >= 0);

-- The mails that tell of a grant: each once.
CREATE INDEX mails_low_budget ON mails (user_id) WHERE kind = 'low_budget';

-- When the member first signed in after they were added; until then others are told no more of them than their e-mail.
ALTER TABLE group_members ADD COLUMN accepted_at timestamptz;
UPDATE group_members SET accepted_at = created_at;
