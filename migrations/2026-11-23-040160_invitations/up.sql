-- The invitations of the last hour are counted for each who invites.
CREATE INDEX audit_log_invitations ON audit_log (actor_id, created_at) WHERE action = 'invite';
