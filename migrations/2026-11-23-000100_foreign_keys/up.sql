-- Replaces the statement-level check functions by the foreign keys that they imitated.

DROP TRIGGER personas_keep_keys ON personas;
DROP TRIGGER personas_gone ON personas;
DROP TRIGGER simulations_gone ON simulations;
DROP TRIGGER simulation_personas_known ON simulation_personas;
DROP TRIGGER simulation_personas_keep ON simulation_personas;
DROP TRIGGER simulation_personas_gone ON simulation_personas;
DROP TRIGGER simulation_questions_keep ON simulation_questions;
DROP TRIGGER simulation_questions_gone ON simulation_questions;
DROP TRIGGER responses_keep_keys ON responses;
DROP TRIGGER responses_within_run ON responses;

DROP FUNCTION personas_not_frozen();
DROP FUNCTION delete_personas_of_runs();
DROP FUNCTION simulation_personas_known();
DROP FUNCTION delete_responses_to_questions();
DROP FUNCTION delete_responses_of_twins();
DROP FUNCTION responses_within_run();
DROP FUNCTION refuse_other_keys();

-- The primary keys and simulation_personas_twin are the indexes that these need.
ALTER TABLE simulation_personas
    ADD CONSTRAINT simulation_personas_simulation_id_fkey FOREIGN KEY (simulation_id) REFERENCES simulations (id)
        ON DELETE CASCADE,
    ADD CONSTRAINT simulation_personas_twin FOREIGN KEY (persona_set_id, persona_id) REFERENCES personas (set_id, id);
ALTER TABLE responses
    ADD CONSTRAINT responses_persona FOREIGN KEY (simulation_id, persona_id)
        REFERENCES simulation_personas (simulation_id, persona_id) ON DELETE CASCADE,
    ADD CONSTRAINT responses_question FOREIGN KEY (simulation_id, question_id)
        REFERENCES simulation_questions (simulation_id, question_id) ON DELETE CASCADE;
