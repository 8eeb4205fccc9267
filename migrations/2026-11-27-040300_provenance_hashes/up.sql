-- Hashes by which `twinlab verify` sees what was changed behind the program's back.

-- Of the texts of a twin. Once a run has asked it, they stay: whoever changes them has to switch the trigger off, and the
-- hash shows it.
CREATE FUNCTION persona_text_hash(summary text, full_text text) RETURNS bytea LANGUAGE sql IMMUTABLE
    RETURN sha256(convert_to(coalesce(summary, '') || E'\n' || coalesce(full_text, ''), 'UTF8'));
ALTER TABLE personas ADD COLUMN text_hash bytea;
UPDATE personas SET text_hash = persona_text_hash(summary, full_text);

CREATE FUNCTION keep_persona_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.summary, NEW.full_text) IS DISTINCT FROM (OLD.summary, OLD.full_text)
        AND EXISTS (SELECT FROM simulations WHERE persona_set_id = OLD.set_id)
    THEN
        RAISE EXCEPTION 'the texts of twins that a run asked cannot be changed'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    NEW.text_hash := persona_text_hash(NEW.summary, NEW.full_text);
    RETURN NEW;
END $$;
CREATE TRIGGER personas_text BEFORE INSERT OR UPDATE OF summary, full_text ON personas
    FOR EACH ROW EXECUTE FUNCTION keep_persona_text();

-- Of a kept reply; null for those of earlier versions.
ALTER TABLE call_replies ADD COLUMN reply_hash bytea;
