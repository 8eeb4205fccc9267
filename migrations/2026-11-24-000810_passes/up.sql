-- A pass asks either what is open or what had failed. Until now every pass but the first asked what had failed.
ALTER TABLE simulations ADD COLUMN retries_failed boolean NOT NULL DEFAULT false;
UPDATE simulations SET retries_failed = true WHERE attempt > 1;
