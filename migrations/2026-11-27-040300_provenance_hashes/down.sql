ALTER TABLE call_replies DROP COLUMN reply_hash;
DROP TRIGGER personas_text ON personas;
DROP FUNCTION keep_persona_text();
ALTER TABLE personas DROP COLUMN text_hash;
DROP FUNCTION persona_text_hash(text, text);
