DROP TABLE simulation_names;
