-- One run with 2,000 twins and 500 questions: 1,000,000 answers.
INSERT INTO users (id, email, name, role, is_verified) VALUES (1, 'user1@bench.example', 'User', 'super_admin', true);
INSERT INTO groups (id, group_name, owner_id, default_budget_per_user) VALUES (1, 'Group', 1, 1000);
INSERT INTO group_members (group_id, user_id, budget) VALUES (1, 1, 1000);
INSERT INTO surveys (id, user_id, group_id, title, visibility) VALUES (1, 1, 1, 'Large', 'PRIVATE');
INSERT INTO questions (id, survey_id, position, text, name, question_type, options, scale_labels, sub_questions,
    min_value, max_value)
SELECT n, 1, n, 'Question ' || n, 'Question_' || n, (ARRAY['SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'MATRIX', 'SLIDER', 'TEXT_ENTRY'])[1 + n % 5],
    CASE WHEN n % 5 < 2 THEN ARRAY['Never', 'Rarely', 'Sometimes', 'Often', 'Always'] ELSE '{}' END,
    CASE n % 5 WHEN 2 THEN ARRAY['Disagree', 'Neutral', 'Agree'] ELSE '{}' END,
    CASE n % 5 WHEN 2 THEN ARRAY['Tea', 'Coffee', 'Water'] ELSE '{}' END,
    CASE n % 5 WHEN 3 THEN 0 END, CASE n % 5 WHEN 3 THEN 100 END
FROM generate_series(1, 500) AS n;
INSERT INTO simulations (id, survey_id, user_id, group_id, persona_set_id, status, persona_count, question_count,
    total_requests, successful_requests, open_requests, held, parameters, survey_snapshot, survey_hash, demo_model,
    program_version, created_at, started_at, completed_at)
SELECT 1, 1, 1, 1, (SELECT id FROM persona_sets WHERE is_current), 'COMPLETED', 2000, 500, 1000000, 1000000, 0, 0,
    '{"model": "bench", "temperature": null, "seed": 1, "questionsPerCall": 20, "personaVariant": "summary",
      "shuffleOptions": false}',
    pg_temp.snapshot(1), 'bench', false, '0', now(), now(), now();
INSERT INTO simulation_personas SELECT 1, personas.id, set_id FROM simulations, personas
WHERE set_id = persona_set_id AND personas.id <= 2000;
INSERT INTO simulation_questions SELECT survey_id, id, position FROM questions;
INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, attempt, model, prompt_hash,
    latency_ms, prompt_tokens, cached_tokens, completion_tokens)
SELECT 1, persona_id, question.id, said.value #>> '{}', said.value, 1, 'bench', '\xc0ffee', 200, 100, 50, 5
FROM simulation_personas AS twin
CROSS JOIN questions AS question
CROSS JOIN LATERAL (SELECT CASE position % 5
    WHEN 0 THEN to_jsonb(options[1 + persona_id * position % 5])
    WHEN 1 THEN to_jsonb(ARRAY[options[1 + persona_id % 3], options[4 + persona_id * position % 2]])
    WHEN 2 THEN jsonb_build_object('Tea', scale_labels[1 + persona_id % 3], 'Coffee',
        scale_labels[1 + persona_id * position % 3], 'Water', scale_labels[1 + persona_id / 7 % 3])
    WHEN 3 THEN to_jsonb(persona_id * position % 101)
    ELSE to_jsonb('Twin ' || persona_id || ' says in a sentence of usual length what comes to mind.') END AS value)
    AS said;
VACUUM ANALYZE;
