DROP FUNCTION renew_worker(uuid, uuid, text, boolean, jsonb, double precision);
ALTER TABLE workers DROP COLUMN process;
CREATE FUNCTION renew_worker(
    worker uuid, called text, holds boolean, calls jsonb, lease_s double precision,
    OUT granted integer, OUT wants_more boolean, OUT blocked timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    whole CONSTANT integer := 1000000;
    fair bigint;
    taken bigint;
BEGIN
    -- Or two workers could take the same free part. Each statement after this sees what the lock's last holder left.
    SELECT blocked_until INTO blocked FROM model_server FOR UPDATE;
    DELETE FROM workers WHERE id <> worker AND pg_try_advisory_xact_lock(hashtextextended(id::text, 0));
    SELECT CASE WHEN holds THEN whole / (count(*) FILTER (WHERE busy) + 1)
                WHEN count(*) FILTER (WHERE busy) > 0 THEN 0
                ELSE whole / (count(*) + 1) END,
           coalesce(sum(share) FILTER (WHERE lease_until > clock_timestamp()), 0)
    INTO fair, taken FROM workers WHERE id <> worker;
    granted := greatest(0, least(fair, whole - taken));
    wants_more := granted + 1 < fair;
    INSERT INTO workers (id, name, busy, in_flight, share, lease_until)
    VALUES (worker, called, holds, calls, granted, clock_timestamp() + make_interval(secs => lease_s))
    ON CONFLICT (id) DO UPDATE SET busy = excluded.busy, in_flight = excluded.in_flight,
        share = excluded.share, lease_until = excluded.lease_until;
END $$;
