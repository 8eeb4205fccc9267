DROP TABLE prompts;
