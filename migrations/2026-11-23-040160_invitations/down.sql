DROP INDEX audit_log_invitations;
