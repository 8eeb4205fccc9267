-- The queue of interviews, the workers that take from it, and what all workers share of the model server.

SELECT pgmq.create('interviews');

-- The workers alive, and the share of the model server's allowance that each holds until its lease ends.
CREATE TABLE workers (
    id          uuid PRIMARY KEY,
    name        text NOT NULL,
    -- Whether it has interviews in hand: a worker with none leaves its share to the others.
    busy        boolean NOT NULL DEFAULT false,
    -- Parts per million of LLM_RPM, LLM_TPM and LLM_MAX_CONCURRENCY.
    share       integer NOT NULL DEFAULT 0 CHECK (share BETWEEN 0 AND 1000000),
    -- Calls under way by simulation id, as of the last renewal: {"17": 256}.
    in_flight   jsonb NOT NULL DEFAULT '{}',
    lease_until timestamptz NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now(),
    -- The id of the process's first session. The process keeps it when a session breaks and it opens another.
    process     uuid NOT NULL
);

-- What all workers know of the model server: one row.
CREATE TABLE model_server (
    id                  boolean PRIMARY KEY DEFAULT true CHECK (id),
    -- No worker calls before this time (Retry-After of a 429, or an open circuit).
    blocked_until       timestamptz,
    reason              text,
    -- The limits a minute that the model server's headers named last, for estimates. Null: they named none.
    requests_per_minute bigint,
    tokens_per_minute   bigint
);
INSERT INTO model_server DEFAULT VALUES;

-- Renews a worker's lease on its share in one round trip: over a slow line several would take longer than the lease.
--
-- Busy workers have equal shares; a share is never larger than what the live leases of the others leave. Shares are in
-- parts per million. A worker whose session has ended, so that its advisory lock can be taken, has none. It may open
-- another session until its lease is over; then it is dead, and its interviews are free, unless its session ended before
-- this one began: then the database was away, and may be back for this worker first.
CREATE FUNCTION renew_worker(
    worker uuid, of_process uuid, called text, holds boolean, calls jsonb, lease_s double precision,
    OUT granted integer, OUT wants_more boolean, OUT blocked timestamptz, OUT freed integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    whole CONSTANT integer := 1000000;
    fair bigint;
    taken bigint;
    dead text[];
BEGIN
    -- Or two workers could take the same free part. Each statement after this sees what the lock's last holder left.
    SELECT blocked_until INTO blocked FROM model_server FOR UPDATE;
    -- An earlier session of this process.
    DELETE FROM workers WHERE process = of_process AND id <> worker;
    UPDATE workers SET share = 0, busy = false, in_flight = '{}'
    WHERE id <> worker AND (share > 0 OR busy) AND pg_try_advisory_xact_lock(hashtextextended(id::text, 0));
    WITH gone AS (
        DELETE FROM workers
        WHERE id <> worker AND lease_until <= clock_timestamp()
            AND pg_try_advisory_xact_lock(hashtextextended(id::text, 0))
        RETURNING process, lease_until)
    SELECT array_agg(process::text) INTO dead FROM gone
    WHERE lease_until > (SELECT started_at FROM workers WHERE id = worker);
    freed := 0;
    IF dead IS NOT NULL THEN
        WITH leased AS (
            SELECT msg_id FROM pgmq.q_interviews
            WHERE vt > clock_timestamp() AND message ->> 'process' = ANY (dead)
            ORDER BY msg_id FOR UPDATE SKIP LOCKED)
        UPDATE pgmq.q_interviews AS message SET vt = clock_timestamp()
        FROM leased WHERE message.msg_id = leased.msg_id;
        GET DIAGNOSTICS freed = ROW_COUNT;
        PERFORM pg_notify('twinlab_control', '');
    END IF;
    SELECT CASE WHEN holds THEN whole / (count(*) FILTER (WHERE busy) + 1)
                WHEN count(*) FILTER (WHERE busy) > 0 THEN 0
                ELSE whole / (count(*) + 1) END,
           coalesce(sum(share) FILTER (WHERE lease_until > clock_timestamp()), 0)
    INTO fair, taken FROM workers WHERE id <> worker;
    granted := greatest(0, least(fair, whole - taken));
    wants_more := granted + 1 < fair;
    INSERT INTO workers (id, process, name, busy, in_flight, share, lease_until)
    VALUES (worker, of_process, called, holds, calls, granted, clock_timestamp() + make_interval(secs => lease_s))
    ON CONFLICT (id) DO UPDATE SET busy = excluded.busy, in_flight = excluded.in_flight,
        share = excluded.share, lease_until = excluded.lease_until;
END $$;

-- The batches of runs that ask through the model server's Batch API.
CREATE TABLE simulation_batches (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    number        integer NOT NULL CHECK (number > 0),
    -- The batch's name at the model server.
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
    -- When the server was asked to cancel it, because the run was stopped.
    cancelled_at  timestamptz,
    -- When everything that it brought was stored.
    ended_at      timestamptz,
    -- The server ended the batch because more tokens would wait in batches than the account may have there.
    limit_reached boolean NOT NULL DEFAULT false,
    PRIMARY KEY (simulation_id, number),
    CHECK (batch_id IS NULL OR input_file_id IS NOT NULL)
);
CREATE INDEX simulation_batches_open ON simulation_batches (simulation_id) WHERE ended_at IS NULL;

-- The call that an interview of such a run waits for. Without a reply the interview has no message in the queue.
CREATE TABLE batch_calls (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    persona_id    integer NOT NULL,
    prompt_hash   bytea NOT NULL,
    -- The request's body after the persona's text.
    body_rest     text NOT NULL,
    -- Length of the whole body.
    bytes         integer NOT NULL,
    -- Which requests it asks, and how often each was asked before.
    state         jsonb NOT NULL,
    -- The batch that carries it; null: the next one will.
    number        integer,
    reply         text,
    -- Tokens that the reply is expected to have: calls under way count as spent.
    reply_tokens  integer NOT NULL DEFAULT 0,
    PRIMARY KEY (simulation_id, persona_id),
    FOREIGN KEY (simulation_id, persona_id) REFERENCES simulation_personas (simulation_id, persona_id)
        ON DELETE CASCADE,
    FOREIGN KEY (simulation_id, number) REFERENCES simulation_batches (simulation_id, number),
    CHECK (reply IS NULL OR number IS NOT NULL)
);
CREATE INDEX batch_calls_number ON batch_calls (simulation_id, number);
