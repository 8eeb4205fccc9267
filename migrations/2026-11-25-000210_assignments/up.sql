-- Runs of surveys with a design. Each twin is asked what its assignment can reach, and what logic then hides is taken off
-- the run's total_requests.
ALTER TABLE simulations DROP CONSTRAINT simulations_total,
    ADD CONSTRAINT simulations_total CHECK (total_requests <= persona_count * question_count);

-- The turns of a loop are questions of the run, with ids from the same sequence, and of no survey. What was asked stands
-- in the run's snapshot.
ALTER TABLE simulation_questions DROP CONSTRAINT simulation_questions_question_id_fkey;

-- A row a run with a design.
CREATE TABLE simulation_designs (
    simulation_id bigint PRIMARY KEY REFERENCES simulations (id) ON DELETE CASCADE,
    -- Requests that were not shown.
    skipped       integer NOT NULL DEFAULT 0 CHECK (skipped >= 0)
);

-- What each twin of such a run was dealt.
CREATE TABLE assignments (
    simulation_id bigint NOT NULL,
    persona_id    integer NOT NULL,
    -- In the order of dealing, from 1.
    place         integer NOT NULL,
    -- That the assignment can reach.
    requests      integer NOT NULL CHECK (requests >= 0),
    fields        jsonb NOT NULL,
    PRIMARY KEY (simulation_id, persona_id),
    CONSTRAINT assignments_persona FOREIGN KEY (simulation_id, persona_id)
        REFERENCES simulation_personas (simulation_id, persona_id) ON DELETE CASCADE
);

-- Requests that logic hid: not asked, not paid.
CREATE TABLE not_shown (
    simulation_id bigint NOT NULL,
    persona_id    integer NOT NULL,
    question_id   bigint NOT NULL,
    reason        text NOT NULL CHECK (reason IN ('logic', 'screened_out')),
    PRIMARY KEY (simulation_id, persona_id, question_id),
    CONSTRAINT not_shown_persona FOREIGN KEY (simulation_id, persona_id)
        REFERENCES simulation_personas (simulation_id, persona_id) ON DELETE CASCADE,
    CONSTRAINT not_shown_question FOREIGN KEY (simulation_id, question_id)
        REFERENCES simulation_questions (simulation_id, question_id) ON DELETE CASCADE
);
