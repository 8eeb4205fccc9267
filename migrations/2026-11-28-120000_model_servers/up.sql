-- Several model servers: a run states its own, and each has its limits, its state and its shares.

-- Name of the run's model server in the installation's file; null: the one of the short form.
ALTER TABLE simulations ADD COLUMN model_server text GENERATED ALWAYS AS (parameters ->> 'modelServer') STORED;

-- The state of each model server, by its name. The row of the short form's server is always there.
ALTER TABLE model_server RENAME TO model_servers;
ALTER TABLE model_servers DROP CONSTRAINT model_server_pkey;
ALTER TABLE model_servers DROP CONSTRAINT model_server_id_check;
ALTER TABLE model_servers ADD COLUMN name text NOT NULL DEFAULT 'default' PRIMARY KEY;
ALTER TABLE model_servers ALTER COLUMN name DROP DEFAULT;
ALTER TABLE model_servers DROP COLUMN id;

-- Calls and tokens of each model server by minute, of the last hours.
CREATE TABLE model_server_minutes (
    server text NOT NULL,
    minute timestamptz NOT NULL,
    calls  bigint NOT NULL CHECK (calls >= 0),
    tokens bigint NOT NULL CHECK (tokens >= 0),
    PRIMARY KEY (server, minute)
);

-- What a live worker has of each model server that it may ask.
CREATE TABLE worker_shares (
    worker_id uuid NOT NULL REFERENCES workers (id) ON DELETE CASCADE,
    server    text NOT NULL,
    -- Whether it holds interviews of this server's runs. A worker without any leaves its share to the others.
    busy      boolean NOT NULL,
    -- Parts per million of the server's limits.
    share     integer NOT NULL CHECK (share BETWEEN 0 AND 1000000),
    -- Calls that wait for the limits, and calls under way, as of the last renewal.
    waiting   integer NOT NULL CHECK (waiting >= 0),
    in_flight integer NOT NULL CHECK (in_flight >= 0),
    PRIMARY KEY (worker_id, server)
);
ALTER TABLE workers DROP COLUMN share;

DROP FUNCTION renew_worker;

-- Renews a worker's lease on its shares in one round trip, because several could take longer than the lease. `servers` lists
-- the model servers of the worker: [{"name": "default", "busy": true, "waiting": 3, "inFlight": 64}]. `granted` has its
-- part of each: [{"name": "default", "share": 500000, "wantsMore": false, "blockedUntil": null}].
--
-- Workers that are busy with a server have equal shares of it; a share is never larger than what the live leases of the
-- others leave. Shares are in parts per million. A worker whose session has ended, so that its advisory lock can be taken,
-- has none. It may open another session until its lease is over; then it is dead and its interviews are free. The exception
-- is a session that ended before this one began: the database was away then, and may have returned to this worker first.
CREATE FUNCTION renew_worker(
    worker uuid, of_process uuid, called text, calls jsonb, servers jsonb, lease_s double precision,
    OUT granted jsonb, OUT freed integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    whole CONSTANT integer := 1000000;
    own record;
    fair bigint;
    taken bigint;
    part bigint;
    dead text[];
BEGIN
    -- The lock prevents two workers from taking the same free part. Later statements see the result of its last holder.
    PERFORM FROM model_servers WHERE name = 'default' FOR UPDATE;
    -- Removes an earlier session of this process.
    DELETE FROM workers WHERE process = of_process AND id <> worker;
    WITH ended AS (
        UPDATE workers SET busy = false, in_flight = '{}'
        WHERE id <> worker
            AND (busy OR EXISTS (SELECT FROM worker_shares WHERE worker_id = id AND share > 0))
            AND pg_try_advisory_xact_lock(hashtextextended(id::text, 0))
        RETURNING id)
    UPDATE worker_shares SET share = 0, busy = false, waiting = 0, in_flight = 0
    FROM ended WHERE worker_id = ended.id;
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
    INSERT INTO workers (id, process, name, busy, in_flight, lease_until)
    VALUES (worker, of_process, called,
        EXISTS (SELECT FROM jsonb_to_recordset(servers) AS stated (busy boolean) WHERE stated.busy), calls,
        clock_timestamp() + make_interval(secs => lease_s))
    ON CONFLICT (id) DO UPDATE SET busy = excluded.busy, in_flight = excluded.in_flight,
        lease_until = excluded.lease_until;
    DELETE FROM worker_shares WHERE worker_id = worker
        AND server NOT IN (SELECT stated.name FROM jsonb_to_recordset(servers) AS stated (name text));
    granted := '[]';
    FOR own IN SELECT * FROM jsonb_to_recordset(servers)
            AS stated (name text, busy boolean, waiting integer, "inFlight" integer) LOOP
        SELECT CASE WHEN own.busy THEN whole / (count(*) FILTER (WHERE held.busy) + 1)
                    WHEN count(*) FILTER (WHERE held.busy) > 0 THEN 0
                    ELSE whole / (count(*) + 1) END,
               coalesce(sum(held.share) FILTER (WHERE lease_until > clock_timestamp()), 0)
        INTO fair, taken
        FROM workers LEFT JOIN worker_shares AS held ON held.worker_id = id AND held.server = own.name
        WHERE id <> worker;
        part := greatest(0, least(fair, whole - taken));
        INSERT INTO worker_shares (worker_id, server, busy, share, waiting, in_flight)
        VALUES (worker, own.name, own.busy, part, own.waiting, own."inFlight")
        ON CONFLICT (worker_id, server) DO UPDATE SET busy = excluded.busy, share = excluded.share,
            waiting = excluded.waiting, in_flight = excluded.in_flight;
        granted := granted || jsonb_build_object('name', own.name, 'share', part, 'wantsMore', part + 1 < fair,
            'blockedUntil', (SELECT blocked_until FROM model_servers WHERE model_servers.name = own.name));
    END LOOP;
END $$;
