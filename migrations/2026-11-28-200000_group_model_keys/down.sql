DROP TABLE group_model_keys;
