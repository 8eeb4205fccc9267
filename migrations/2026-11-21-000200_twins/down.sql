DROP TABLE personas, persona_sets;
