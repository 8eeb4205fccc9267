-- What the model replied to each call, of runs that keep it.
CREATE TABLE call_replies (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    persona_id    integer NOT NULL,
    -- When the worker had it, and what it calls it: settled twice, it is stored once.
    received_at   timestamptz NOT NULL,
    call_id       uuid NOT NULL,
    -- SHA-256 of the request's body.
    prompt_hash   bytea NOT NULL,
    -- JSON, deflated.
    reply         bytea NOT NULL,
    PRIMARY KEY (simulation_id, persona_id, received_at, call_id)
);
