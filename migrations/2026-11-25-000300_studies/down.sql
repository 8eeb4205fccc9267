-- A survey of which several runs of a study are active cannot be told to an earlier version.
DROP INDEX simulations_one_active;
CREATE UNIQUE INDEX simulations_one_active ON simulations (survey_id)
    WHERE status IN ('PENDING', 'QUEUED', 'RUNNING', 'PAUSED');
DROP TABLE study_runs, studies;
