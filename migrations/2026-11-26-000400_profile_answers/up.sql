-- The questions that the profiles of a set were made from, as a survey could ask them.
CREATE TABLE profile_items (
    set_id   integer NOT NULL REFERENCES persona_sets (id) ON DELETE CASCADE,
    -- The dataset's order.
    position integer NOT NULL,
    question jsonb NOT NULL,
    PRIMARY KEY (set_id, position)
);

-- What each person answered to them.
CREATE TABLE profile_answers (
    set_id     integer NOT NULL,
    persona_id integer NOT NULL,
    -- {"QID35_3": 4}, in numbers.
    answers    jsonb NOT NULL,
    PRIMARY KEY (set_id, persona_id),
    FOREIGN KEY (set_id, persona_id) REFERENCES personas (set_id, id) ON DELETE CASCADE
);
