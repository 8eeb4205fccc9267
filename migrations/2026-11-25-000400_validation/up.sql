-- What the people behind a set were asked twice, and no twin of theirs is told.
CREATE TABLE held_out_questions (
    set_id   integer NOT NULL REFERENCES persona_sets (id) ON DELETE CASCADE,
    -- The dataset's order.
    position integer NOT NULL,
    qid      text NOT NULL,
    question jsonb NOT NULL,
    PRIMARY KEY (set_id, position),
    UNIQUE (set_id, qid)
);

CREATE TABLE held_out_answers (
    set_id     integer NOT NULL,
    persona_id integer NOT NULL,
    -- Questions that the person answered the first time: what conditions may ask for.
    asked      text[] NOT NULL,
    -- {"QID287_3": [first, second]}, in numbers; null where there is no answer.
    answers    jsonb NOT NULL,
    PRIMARY KEY (set_id, persona_id),
    FOREIGN KEY (set_id, persona_id) REFERENCES personas (set_id, id) ON DELETE CASCADE
);

-- What the people's profiles were made from.
CREATE TABLE profile_questions (
    set_id   integer NOT NULL REFERENCES persona_sets (id) ON DELETE CASCADE,
    position integer NOT NULL,
    text     text NOT NULL,
    PRIMARY KEY (set_id, position)
);

-- Studies that measure twins against what was held out.
CREATE TABLE validations (
    study_id       bigint PRIMARY KEY REFERENCES studies (id) ON DELETE CASCADE,
    persona_set_id integer NOT NULL REFERENCES persona_sets (id) ON DELETE CASCADE,
    quick          boolean NOT NULL,
    -- The variant that the verdicts speak of.
    headline       text NOT NULL,
    -- Kept once all runs are over.
    figures        jsonb
);
CREATE INDEX validations_set ON validations (persona_set_id, study_id);
