-- Parameters that the model server refused by name, so that calls of the run went out without them.
ALTER TABLE simulations ADD COLUMN left_out text[] NOT NULL DEFAULT '{}';
