DROP INDEX simulations_status;
