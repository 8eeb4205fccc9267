DROP FUNCTION renew_worker(uuid, text, boolean, jsonb, double precision);
