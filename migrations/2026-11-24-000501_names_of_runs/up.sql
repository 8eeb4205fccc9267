-- What whoever started a run calls it and notes down of it.
CREATE TABLE simulation_names (
    simulation_id bigint PRIMARY KEY REFERENCES simulations (id) ON DELETE CASCADE,
    name text,
    note text
);
