DROP TABLE simulation_models;
DROP INDEX simulations_priced;
DROP TABLE cost_caps;
