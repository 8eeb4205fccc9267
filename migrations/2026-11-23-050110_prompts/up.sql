-- How the prompts of unusual calls are built again: of requests that were asked again, of resumed interviews, of servers
-- that refuse a part of a request. Every other prompt follows from the run and the persona.
CREATE TABLE prompts (
    simulation_id bigint NOT NULL REFERENCES simulations ON DELETE CASCADE,
    prompt_hash bytea NOT NULL,
    recipe jsonb NOT NULL,
    PRIMARY KEY (simulation_id, prompt_hash)
);
