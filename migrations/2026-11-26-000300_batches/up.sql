-- Runs that ask through the model server's Batch API.
CREATE TABLE simulation_batches (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    number        integer NOT NULL CHECK (number > 0),
    -- What the batch is known by at the model server.
    token         uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    calls         integer NOT NULL CHECK (calls > 0),
    -- Null: not uploaded yet.
    input_file_id text,
    -- Null: not submitted, as far as is known.
    batch_id      text,
    -- In the server's words.
    server_status text,
    calls_done    integer NOT NULL DEFAULT 0,
    -- Why it does not go on.
    trouble       text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    submitted_at  timestamptz,
    -- The server was asked to cancel it, because the run was stopped.
    cancelled_at  timestamptz,
    -- All that it brought is stored.
    ended_at      timestamptz,
    PRIMARY KEY (simulation_id, number),
    CHECK (batch_id IS NULL OR input_file_id IS NOT NULL)
);
CREATE INDEX simulation_batches_open ON simulation_batches (simulation_id) WHERE ended_at IS NULL;

-- The call that an interview of such a run waits for; without a reply it has no message in the queue.
CREATE TABLE batch_calls (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    persona_id    integer NOT NULL,
    prompt_hash   bytea NOT NULL,
    -- The request's body after the persona's text.
    body_rest     text NOT NULL,
    -- Of the whole body.
    bytes         integer NOT NULL,
    -- Which requests it asks, and how often each was asked before.
    state         jsonb NOT NULL,
    -- The batch that carries it; null: the next one will.
    number        integer,
    reply         text,
    PRIMARY KEY (simulation_id, persona_id),
    FOREIGN KEY (simulation_id, persona_id) REFERENCES simulation_personas (simulation_id, persona_id)
        ON DELETE CASCADE,
    FOREIGN KEY (simulation_id, number) REFERENCES simulation_batches (simulation_id, number),
    CHECK (reply IS NULL OR number IS NOT NULL)
);
CREATE INDEX batch_calls_number ON batch_calls (simulation_id, number);
