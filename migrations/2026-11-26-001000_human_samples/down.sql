DROP TABLE human_samples;
