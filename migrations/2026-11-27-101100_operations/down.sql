DROP TABLE audit_log, mails, idempotency_keys;
