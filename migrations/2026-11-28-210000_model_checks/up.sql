-- The newest check of each model of a model server: what the server does with the parts of a request.
CREATE TABLE model_checks (
    server     text NOT NULL,
    model      text NOT NULL,
    checked_at timestamptz NOT NULL DEFAULT now(),
    -- The findings, the number of calls, and their tokens.
    outcome    jsonb NOT NULL CHECK (jsonb_typeof(outcome) = 'object'),
    -- What runs know of the model's parameters by it.
    known      jsonb NOT NULL CHECK (jsonb_typeof(known) = 'array'),
    PRIMARY KEY (server, model)
);

-- Model servers that are being checked, so that each is checked once at a time, and those whose last check did not end.
CREATE TABLE model_check_runs (
    server     text PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    -- Null: it is under way, or its process has died.
    ended_at   timestamptz,
    -- Why it found nothing out; null: it did, or it is under way.
    failure    text
);

-- Values of parameters that a model server refused to calls of runs, since the model was checked.
CREATE TABLE model_refusals (
    server     text NOT NULL,
    model      text NOT NULL,
    parameter  text NOT NULL,
    value      text NOT NULL,
    refused_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (server, model, parameter, value)
);
