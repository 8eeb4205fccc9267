DROP TABLE not_shown, assignments, simulation_designs;
-- Runs with loops cannot be told to an earlier version.
ALTER TABLE simulation_questions
    ADD CONSTRAINT simulation_questions_question_id_fkey FOREIGN KEY (question_id) REFERENCES questions (id) NOT VALID;
ALTER TABLE simulations DROP CONSTRAINT simulations_total,
    ADD CONSTRAINT simulations_total CHECK (total_requests = persona_count * question_count) NOT VALID;
