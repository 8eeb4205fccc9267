-- What super administrators page through: everybody's surveys and runs, newest first.
CREATE INDEX surveys_newest ON surveys (created_at DESC, id DESC);
CREATE INDEX simulations_newest ON simulations (created_at DESC, id DESC);
-- Who is to be told of a run's end is written down in the transaction that ends it: nobody looks for ends any more.
DROP INDEX simulations_moved;
