-- Restores the check functions of 2026-11-22-000200_checks_by_statement.

CREATE FUNCTION refuse_other_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the keys of % do not change', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- Answers, of what their run froze.

ALTER TABLE responses DROP CONSTRAINT responses_persona, DROP CONSTRAINT responses_question;

CREATE FUNCTION responses_within_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM simulations WHERE id IN (SELECT simulation_id FROM added) ORDER BY id FOR KEY SHARE;
    -- LATERAL and LIMIT: found by the index, however many runs there are.
    IF EXISTS (SELECT FROM (SELECT DISTINCT simulation_id, persona_id FROM added) AS answered
        LEFT JOIN LATERAL (SELECT true AS is_frozen FROM simulation_personas AS twin
            WHERE twin.simulation_id = answered.simulation_id AND twin.persona_id = answered.persona_id
            LIMIT 1) AS found ON true
        WHERE is_frozen IS NULL)
    THEN
        RAISE foreign_key_violation USING TABLE = 'responses', CONSTRAINT = 'responses_persona',
            MESSAGE = 'an answer is of a twin that its run did not freeze';
    END IF;
    IF EXISTS (SELECT FROM (SELECT DISTINCT simulation_id, question_id FROM added) AS answered
        LEFT JOIN LATERAL (SELECT true AS is_frozen FROM simulation_questions AS question
            WHERE question.simulation_id = answered.simulation_id AND question.question_id = answered.question_id
            LIMIT 1) AS found ON true
        WHERE is_frozen IS NULL)
    THEN
        RAISE foreign_key_violation USING TABLE = 'responses', CONSTRAINT = 'responses_question',
            MESSAGE = 'an answer is to a question that its run did not freeze';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER responses_within_run AFTER INSERT ON responses
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION responses_within_run();
CREATE TRIGGER responses_keep_keys BEFORE UPDATE OF simulation_id, persona_id, question_id ON responses
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_keys();

CREATE FUNCTION delete_responses_of_twins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM simulations WHERE id IN (SELECT simulation_id FROM gone) ORDER BY id FOR UPDATE;
    DELETE FROM responses USING gone
    WHERE responses.simulation_id = gone.simulation_id AND responses.persona_id = gone.persona_id;
    RETURN NULL;
END $$;
CREATE TRIGGER simulation_personas_gone AFTER DELETE ON simulation_personas
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_responses_of_twins();
CREATE TRIGGER simulation_personas_keep BEFORE UPDATE ON simulation_personas
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION delete_responses_to_questions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM simulations WHERE id IN (SELECT simulation_id FROM gone) ORDER BY id FOR UPDATE;
    DELETE FROM responses USING gone
    WHERE responses.simulation_id = gone.simulation_id AND responses.question_id = gone.question_id;
    RETURN NULL;
END $$;
CREATE TRIGGER simulation_questions_gone AFTER DELETE ON simulation_questions
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_responses_to_questions();
CREATE TRIGGER simulation_questions_keep BEFORE UPDATE ON simulation_questions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Frozen twins, of the set that the run asks.

ALTER TABLE simulation_personas
    DROP CONSTRAINT simulation_personas_simulation_id_fkey, DROP CONSTRAINT simulation_personas_twin;

CREATE FUNCTION simulation_personas_known() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM simulations WHERE id IN (SELECT simulation_id FROM added) ORDER BY id FOR KEY SHARE;
    PERFORM FROM persona_sets WHERE id IN (SELECT persona_set_id FROM added) ORDER BY id FOR KEY SHARE;
    IF EXISTS (SELECT FROM added WHERE simulation_id NOT IN (SELECT id FROM simulations
        WHERE id IN (SELECT simulation_id FROM added)))
    THEN
        RAISE foreign_key_violation USING TABLE = 'simulation_personas',
            CONSTRAINT = 'simulation_personas_run', MESSAGE = 'there is no such run to freeze a twin for';
    END IF;
    IF EXISTS (SELECT FROM added
        LEFT JOIN LATERAL (SELECT true AS is_there FROM personas AS twin
            WHERE twin.set_id = added.persona_set_id AND twin.id = added.persona_id
            LIMIT 1) AS found ON true
        WHERE is_there IS NULL)
    THEN
        RAISE foreign_key_violation USING TABLE = 'simulation_personas',
            CONSTRAINT = 'simulation_personas_twin', MESSAGE = 'a run freezes a twin that is not in the set';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER simulation_personas_known AFTER INSERT ON simulation_personas
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION simulation_personas_known();

CREATE FUNCTION delete_personas_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM simulation_personas USING gone WHERE simulation_personas.simulation_id = gone.id;
    RETURN NULL;
END $$;
CREATE TRIGGER simulations_gone AFTER DELETE ON simulations
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_personas_of_runs();

CREATE FUNCTION personas_not_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM persona_sets WHERE id IN (SELECT set_id FROM gone) ORDER BY id FOR UPDATE;
    IF EXISTS (SELECT FROM gone, LATERAL (SELECT FROM simulation_personas AS frozen
        WHERE frozen.persona_set_id = gone.set_id AND frozen.persona_id = gone.id
        LIMIT 1) AS found)
    THEN
        RAISE foreign_key_violation USING TABLE = 'simulation_personas',
            CONSTRAINT = 'simulation_personas_twin', MESSAGE = 'a run has frozen the twin that is to be deleted';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER personas_gone AFTER DELETE ON personas
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION personas_not_frozen();
CREATE TRIGGER personas_keep_keys BEFORE UPDATE OF set_id, id ON personas
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_keys();
