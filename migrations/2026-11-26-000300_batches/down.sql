DROP TABLE batch_calls, simulation_batches;
