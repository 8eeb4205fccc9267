DROP TABLE transactions, request_failures, responses, simulation_questions, simulation_personas, simulations;
DROP FUNCTION transactions_guard;
