DROP TABLE batch_calls, simulation_batches, model_server, workers;
DROP FUNCTION renew_worker;
SELECT pgmq.drop_queue('interviews');
