-- The queue of interviews, the workers, and the state of the model server that they share.

SELECT pgmq.create('interviews');

-- Live workers, each with its share of the model server's allowance until its lease ends.
CREATE TABLE workers (
    id          uuid PRIMARY KEY,
    name        text NOT NULL,
    -- Whether it has interviews. A worker without any leaves its share to the others.
    busy        boolean NOT NULL DEFAULT false,
    -- Parts per million of LLM_RPM, LLM_TPM and LLM_MAX_CONCURRENCY.
    share       integer NOT NULL DEFAULT 0 CHECK (share BETWEEN 0 AND 1000000),
    -- Calls under way by simulation id, as of the last renewal: {"17": 256}.
    in_flight   jsonb NOT NULL DEFAULT '{}',
    lease_until timestamptz NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now(),
    -- Id of the process: that of its first session, which it keeps when it opens another.
    process     uuid NOT NULL
);

-- The state of the model server, in one row.
CREATE TABLE model_server (
    id                  boolean PRIMARY KEY DEFAULT true CHECK (id),
    -- No worker calls before this time (Retry-After of a 429, or an open circuit).
    blocked_until       timestamptz,
    reason              text,
    -- The limits a minute that the model server's headers stated last, for estimates; null if they stated none.
    requests_per_minute bigint,
    tokens_per_minute   bigint
);
INSERT INTO model_server DEFAULT VALUES;

-- Renews a worker's lease on its share in one round trip, because several could take longer than the lease.
--
-- Busy workers have equal shares; a share is never larger than what the live leases of the others leave. Shares are in
-- parts per million. A worker whose session has ended, so that its advisory lock can be taken, has none. It may open
-- another session until its lease is over; then it is dead and its interviews are free. The exception is a session that
-- ended before this one began: the database was away then, and may have returned to this worker first.
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
    -- The lock prevents two workers from taking the same free part. Later statements see the result of its last holder.
    SELECT blocked_until INTO blocked FROM model_server FOR UPDATE;
    -- Removes an earlier session of this process.
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

-- Batches of runs that use the model server's Batch API.
CREATE TABLE simulation_batches (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    number        integer NOT NULL CHECK (number > 0),
    -- The batch's name at the model server.
    token         uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    calls         integer NOT NULL CHECK (calls > 0),
    -- Null until the file is uploaded.
    input_file_id text,
    -- Null until the batch is known to be submitted.
    batch_id      text,
    -- The status in the server's words.
    server_status text,
    calls_done    integer NOT NULL DEFAULT 0,
    -- The reason why the batch does not proceed.
    trouble       text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    submitted_at  timestamptz,
    -- Time at which the server was asked to cancel it, because the run was stopped.
    cancelled_at  timestamptz,
    -- Time at which all its results were stored.
    ended_at      timestamptz,
    -- Whether the server ended the batch because too many tokens would wait in the account's batches.
    limit_reached boolean NOT NULL DEFAULT false,
    PRIMARY KEY (simulation_id, number),
    CHECK (batch_id IS NULL OR input_file_id IS NOT NULL)
);
CREATE INDEX simulation_batches_open ON simulation_batches (simulation_id) WHERE ended_at IS NULL;

-- The pending call of an interview in such a run. Until its reply arrives the interview has no message in the queue.
CREATE TABLE batch_calls (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    persona_id    integer NOT NULL,
    prompt_hash   bytea NOT NULL,
    -- The request's body after the persona's text.
    body_rest     text NOT NULL,
    -- Length of the whole body, in bytes.
    bytes         integer NOT NULL,
    -- The requests that it asks, and how often each was asked before.
    state         jsonb NOT NULL,
    -- Number of its batch; null until the next batch takes it.
    number        integer,
    reply         text,
    -- Expected tokens of the reply, because calls under way count as spent.
    reply_tokens  integer NOT NULL DEFAULT 0,
    PRIMARY KEY (simulation_id, persona_id),
    FOREIGN KEY (simulation_id, persona_id) REFERENCES simulation_personas (simulation_id, persona_id)
        ON DELETE CASCADE,
    FOREIGN KEY (simulation_id, number) REFERENCES simulation_batches (simulation_id, number),
    CHECK (reply IS NULL OR number IS NOT NULL)
);
CREATE INDEX batch_calls_number ON batch_calls (simulation_id, number);
