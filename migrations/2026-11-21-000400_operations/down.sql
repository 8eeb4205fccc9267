DROP TABLE audit_log, idempotency_keys, model_server, workers;
