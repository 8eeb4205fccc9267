-- Earlier versions take a continued run for a retry: it has to end, or be stopped, first.
ALTER TABLE simulations DROP COLUMN retries_failed;
