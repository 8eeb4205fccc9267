DROP INDEX simulations_moved;
DROP TABLE audit_log, idempotency_keys, mails, model_server, workers;
