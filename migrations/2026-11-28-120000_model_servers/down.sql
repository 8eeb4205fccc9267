DROP FUNCTION renew_worker;
ALTER TABLE workers ADD COLUMN share integer NOT NULL DEFAULT 0 CHECK (share BETWEEN 0 AND 1000000);
DROP TABLE worker_shares;
DROP TABLE model_server_minutes;

DELETE FROM model_servers WHERE name <> 'default';
ALTER TABLE model_servers DROP CONSTRAINT model_servers_pkey;
ALTER TABLE model_servers DROP COLUMN name;
ALTER TABLE model_servers ADD COLUMN id boolean PRIMARY KEY DEFAULT true CHECK (id);
ALTER TABLE model_servers RENAME TO model_server;

ALTER TABLE simulations DROP COLUMN model_server;

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
