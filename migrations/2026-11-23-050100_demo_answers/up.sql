-- Runs whose answers came from a demo model that was started by itself.
UPDATE simulations SET demo_model = true
WHERE NOT demo_model AND id IN (SELECT simulation_id FROM responses WHERE model = 'twinlab-demo');
