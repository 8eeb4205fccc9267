-- A product in use: 2,000,000 answers, 200,000 transactions, and what they hang on.
INSERT INTO users (id, email, name, role, is_verified)
SELECT n, 'user' || n || '@bench.example', 'User ' || n, CASE WHEN n <= 20 THEN 'admin' ELSE 'user' END, true
FROM generate_series(1, 1000) AS n;
INSERT INTO users (id, email, name, role, is_verified)
SELECT n, 'user' || n || '@bench.example', 'Super admin ' || n, 'super_admin', true FROM generate_series(1001, 1010) AS n;

INSERT INTO groups (id, group_name, owner_id, default_budget_per_user)
SELECT n, 'Group ' || n, n, 1000 FROM generate_series(1, 20) AS n;
INSERT INTO group_members (group_id, user_id, budget) SELECT 1 + n % 20, n, 1000000 FROM generate_series(1, 1000) AS n;

INSERT INTO surveys (id, user_id, group_id, title, visibility)
SELECT n, 1 + n % 1000, 1 + (1 + n % 1000) % 20, 'Survey ' || n, CASE n % 4 WHEN 0 THEN 'PUBLIC' ELSE 'PRIVATE' END
FROM generate_series(1, 5000) AS n;
INSERT INTO questions (id, survey_id, position, text, name, question_type, options, scale_labels, sub_questions,
    min_value, max_value)
SELECT (survey - 1) * 50 + n, survey, n, 'Question ' || n, 'Question_' || n,
    (ARRAY['SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'MATRIX', 'SLIDER', 'TEXT_ENTRY'])[1 + n % 5],
    CASE WHEN n % 5 < 2 THEN ARRAY['Never', 'Rarely', 'Sometimes', 'Often', 'Always'] ELSE '{}' END,
    CASE n % 5 WHEN 2 THEN ARRAY['Disagree', 'Neutral', 'Agree'] ELSE '{}' END,
    CASE n % 5 WHEN 2 THEN ARRAY['Tea', 'Coffee', 'Water'] ELSE '{}' END,
    CASE n % 5 WHEN 3 THEN 0 END, CASE n % 5 WHEN 3 THEN 100 END
FROM generate_series(1, 20) AS survey, generate_series(1, 50) AS n;

-- The twins are there already: the imported set is the current one.
INSERT INTO simulations (id, survey_id, user_id, group_id, persona_set_id, status, persona_count, question_count,
    total_requests, successful_requests, open_requests, held, parameters, survey_snapshot, survey_hash, demo_model,
    program_version, created_at, started_at, completed_at)
SELECT n, survey.id, survey.user_id, survey.group_id, twins.id, 'COMPLETED', 2000, 50, 100000, 100000, 0, 0,
    '{"model": "bench", "temperature": null, "seed": 1, "questionsPerCall": 20, "personaVariant": "summary",
      "shuffleOptions": false}',
    survey.snapshot, 'bench', false, '0', now() - n * interval '1 minute', now(), now()
FROM generate_series(1, 20000) AS n
JOIN (SELECT id, user_id, group_id, pg_temp.snapshot(id) AS snapshot FROM surveys) AS survey
    ON survey.id = 1 + (n - 1) % 5000
CROSS JOIN (SELECT id FROM persona_sets WHERE is_current) AS twins;
INSERT INTO simulation_personas SELECT simulations.id, personas.id, set_id FROM simulations, personas
WHERE simulations.id <= 20 AND set_id = persona_set_id AND personas.id <= 2000;
INSERT INTO simulation_questions SELECT survey_id, id, position FROM questions;

INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, attempt, model, prompt_hash,
    latency_ms, prompt_tokens, cached_tokens, completion_tokens)
SELECT twin.simulation_id, persona_id, question.id, said.value #>> '{}', said.value, 1, 'bench', '\xc0ffee', 200, 100,
    50, 5
FROM simulation_personas AS twin
JOIN questions AS question ON question.survey_id = twin.simulation_id
CROSS JOIN LATERAL (SELECT CASE position % 5
    WHEN 0 THEN to_jsonb(options[1 + persona_id * position % 5])
    WHEN 1 THEN to_jsonb(ARRAY[options[1 + persona_id % 3], options[4 + persona_id * position % 2]])
    WHEN 2 THEN jsonb_build_object('Tea', scale_labels[1 + persona_id % 3], 'Coffee',
        scale_labels[1 + persona_id * position % 3], 'Water', scale_labels[1 + persona_id / 7 % 3])
    WHEN 3 THEN to_jsonb(persona_id * position % 101)
    ELSE to_jsonb('Twin ' || persona_id || ' says in a sentence of usual length what comes to mind.') END AS value)
    AS said;

INSERT INTO transactions (group_id, user_id, type, amount, effect, description, created_at)
SELECT group_id, user_id, 'ADD', 1, 1, 'Grant ' || n, now() - n * interval '1 second'
FROM generate_series(1, 180) AS n, group_members;
INSERT INTO transactions (group_id, user_id, type, amount, effect, description, simulation_id, attempt, created_at)
SELECT group_id, user_id, 'MINES', 10, -10, 'Simulation of "Survey"', id, 1, created_at FROM simulations;

SELECT setval(pg_get_serial_sequence(name, 'id'), 1000000)
FROM unnest(ARRAY['users', 'groups', 'surveys', 'questions', 'simulations']) AS name;
VACUUM ANALYZE;
