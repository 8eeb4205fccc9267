DROP TABLE simulate_commands;
