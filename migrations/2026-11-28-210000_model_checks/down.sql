DROP TABLE model_refusals;
DROP TABLE model_check_runs;
DROP TABLE model_checks;
