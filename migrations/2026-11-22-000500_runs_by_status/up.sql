-- A super administrator's list of all runs of one state, newest first. A change of state was a new entry in some index
-- before: two indexes hold only the runs that are not over.
CREATE INDEX simulations_status ON simulations (status, created_at DESC, id DESC);
