CREATE INDEX simulations_moved ON simulations (updated_at) WHERE status IN ('COMPLETED', 'FAILED', 'PAUSED');
DROP INDEX simulations_newest, surveys_newest;
