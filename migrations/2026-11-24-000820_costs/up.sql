-- What a run may cost, in millionths of its price's currency.
CREATE TABLE cost_caps (
    simulation_id bigint PRIMARY KEY REFERENCES simulations (id) ON DELETE CASCADE,
    max_cost      bigint NOT NULL CHECK (max_cost > 0)
);
-- Sums of money read only the runs that have a price.
CREATE INDEX simulations_priced ON simulations (group_id, user_id) WHERE parameters ? 'price';

-- The models and fingerprints that the server named in a run's answers, at most some ten.
CREATE TABLE simulation_models (
    simulation_id bigint NOT NULL REFERENCES simulations (id) ON DELETE CASCADE,
    model         text NOT NULL,
    fingerprint   text,
    CONSTRAINT simulation_models_once UNIQUE NULLS NOT DISTINCT (simulation_id, model, fingerprint)
);
INSERT INTO simulation_models (simulation_id, model, fingerprint)
SELECT simulation_id, model, fingerprint
FROM (
    SELECT simulation_id, model, fingerprint,
        row_number() OVER (PARTITION BY simulation_id ORDER BY model, fingerprint) AS place
    FROM (SELECT DISTINCT simulation_id, model, fingerprint FROM responses) AS seen
) AS numbered
WHERE place <= 10;
