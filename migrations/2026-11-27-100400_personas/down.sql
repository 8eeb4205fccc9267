DROP TABLE personas;
DROP FUNCTION keep_persona_text;
DROP FUNCTION persona_text_hash;
DROP TABLE persona_sets;
