-- Runs that a `twinlab simulate` conducts. The command holds the advisory lock of this number while it lives.
CREATE TABLE simulate_commands (
    simulation_id bigint PRIMARY KEY REFERENCES simulations ON DELETE CASCADE,
    lock_number bigint NOT NULL
);
