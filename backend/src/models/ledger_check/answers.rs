//! Checks of the answers and their provenance.
//!
//! The answers of an erased account are blank, and its surveys have no questions to check them against.

use super::checks::Check;

pub(super) const ANSWER_CHECKS: &[Check] = &[
    Check {
        name: "each answer is one that its question takes: its options, its labels, a number within its range",
        breaches: "
            WITH asked AS (
                SELECT s.id AS simulation_id, (q ->> 'id')::bigint AS question_id, q ->> 'questionType' AS type,
                    (q ->> 'minValue')::numeric AS min, (q ->> 'maxValue')::numeric AS max,
                    ARRAY(SELECT coalesce(o ->> 'text', o #>> '{}') FROM jsonb_array_elements(CASE
                        WHEN q ->> 'questionType' IN ('MATRIX', 'MATRIX_MULTI') THEN q -> 'scale_labels'
                        ELSE q -> 'options' END) AS o) AS texts
                FROM simulations s, jsonb_array_elements(s.survey_snapshot -> 'questions') AS q
            )
            SELECT format('simulation %s, persona %s, question %s (%s): %s', r.simulation_id, r.persona_id, r.question_id, a.type,
                       left(r.answer_value::text, 80))
            FROM responses r JOIN asked a USING (simulation_id, question_id)
            -- What is piped into an option is known to the interview alone.
            WHERE array_to_string(a.texts, ' ') NOT LIKE '%{{%' AND CASE
                WHEN a.type = 'SINGLE_CHOICE' THEN r.answer_value #>> '{}' = ANY (a.texts)
                WHEN a.type IN ('SLIDER', 'RANGE', 'NUMBER') THEN CASE jsonb_typeof(r.answer_value) WHEN 'number'
                    THEN (r.answer_value #>> '{}')::numeric BETWEEN coalesce(a.min, '-infinity') AND coalesce(a.max, 'infinity') END
                WHEN a.type IN ('MULTIPLE_CHOICE', 'RANK') THEN NOT EXISTS (
                    SELECT FROM jsonb_path_query(r.answer_value, '$[*]') AS chosen WHERE chosen #>> '{}' <> ALL (a.texts))
                WHEN a.type = 'CONSTANT_SUM' THEN NOT EXISTS (
                    SELECT FROM jsonb_path_query(r.answer_value, '$.keyvalue().key', silent => true) AS option WHERE option #>> '{}' <> ALL (a.texts))
                WHEN a.type IN ('MATRIX', 'MATRIX_MULTI', 'BEST_WORST') THEN NOT EXISTS (
                    SELECT FROM jsonb_path_query(r.answer_value, '$.*[*]') AS label WHERE label #>> '{}' <> ALL (a.texts))
                ELSE true END IS NOT TRUE",
    },
    Check {
        name: "the text of each answer says what its value says",
        breaches: "
            WITH asked AS (
                SELECT s.id AS simulation_id, (q ->> 'id')::bigint AS question_id, q ->> 'questionType' AS type,
                    NOT s.survey_snapshot ? 'design' AS is_plain,
                    CASE jsonb_array_length(coalesce(q -> 'subQuestions', '[]')) WHEN 0 THEN ARRAY[q ->> 'text']
                        ELSE ARRAY(SELECT jsonb_array_elements_text(q -> 'subQuestions')) END AS rows
                FROM simulations s, jsonb_array_elements(s.survey_snapshot -> 'questions') AS q
            )
            SELECT format('simulation %s, persona %s, question %s (%s): %s beside %s', r.simulation_id, r.persona_id,
                       r.question_id, a.type, left(to_json(r.answer)::text, 80), left(r.answer_value::text, 80))
            FROM responses r JOIN asked a USING (simulation_id, question_id)
            WHERE CASE
                WHEN a.type IN ('SINGLE_CHOICE', 'TEXT_ENTRY', 'OPENENDED') THEN
                    jsonb_typeof(r.answer_value) = 'string' AND r.answer = r.answer_value #>> '{}'
                WHEN a.type = 'BOOLEAN' THEN r.answer = CASE r.answer_value WHEN 'true' THEN 'Yes' WHEN 'false' THEN 'No' END
                WHEN a.type IN ('SLIDER', 'RANGE', 'NUMBER') THEN
                    CASE WHEN jsonb_typeof(r.answer_value) = 'number' AND r.answer ~ '^-?[0-9]+([.][0-9]+)?$'
                        THEN r.answer::numeric = (r.answer_value #>> '{}')::numeric END
                WHEN a.type IN ('MULTIPLE_CHOICE', 'RANK') THEN jsonb_typeof(r.answer_value) = 'array' AND r.answer =
                    (SELECT string_agg(CASE a.type WHEN 'RANK' THEN n || ': ' ELSE '' END || option, ' | ' ORDER BY n)
                     FROM jsonb_array_elements_text(CASE jsonb_typeof(r.answer_value) WHEN 'array' THEN r.answer_value ELSE '[]' END) WITH ORDINALITY AS chosen (option, n))
                WHEN jsonb_typeof(r.answer_value) <> 'object' THEN false
                WHEN a.type = 'BEST_WORST' THEN
                    r.answer = format('Best: %s | Worst: %s', r.answer_value ->> 'best', r.answer_value ->> 'worst')
                WHEN a.type = 'MATRIX' AND a.is_plain THEN r.answer =
                    (SELECT string_agg(format('Q%s: %s', n, r.answer_value ->> row), ' | ' ORDER BY n)
                     FROM unnest(a.rows) WITH ORDINALITY AS rated (row, n))
                -- A design can show rows and options in another order and with what is piped into them.
                ELSE (SELECT array_agg(CASE a.type WHEN 'CONSTANT_SUM' THEN part ELSE regexp_replace(part, '^Q[0-9]+: ', '') END
                                       ORDER BY CASE a.type WHEN 'CONSTANT_SUM' THEN part ELSE regexp_replace(part, '^Q[0-9]+: ', '') END)
                      FROM unnest(string_to_array(r.answer, ' | ')) AS part)
                    = (SELECT array_agg(part ORDER BY part) FROM (
                          SELECT CASE a.type
                              WHEN 'CONSTANT_SUM' THEN format('%s: %s', key, value #>> '{}')
                              WHEN 'MATRIX' THEN value #>> '{}'
                              ELSE (SELECT string_agg(label, '; ' ORDER BY n) FROM jsonb_array_elements_text(
                                  CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE '[]' END) WITH ORDINALITY AS l (label, n)) END
                          FROM jsonb_each(r.answer_value)) AS parts (part))
                END IS NOT TRUE",
    },
    Check {
        name: "each answer names the prompt that it came from, and where a run keeps replies, one to that prompt is kept",
        breaches: "
            SELECT format('simulation %s, persona %s, question %s: prompt %s, %s', r.simulation_id, r.persona_id,
                       r.question_id, encode(r.prompt_hash, 'hex'),
                       CASE octet_length(r.prompt_hash) WHEN 32 THEN 'no reply is kept' ELSE 'not a SHA-256' END)
            FROM responses r JOIN simulations s ON s.id = r.simulation_id
            WHERE octet_length(r.prompt_hash) <> 32
                OR s.parameters @> '{\"keepReplies\": true}' AND s.survey_snapshot -> 'questions' <> '[]'
                    AND NOT EXISTS (SELECT FROM call_replies c
                        WHERE (c.simulation_id, c.persona_id, c.prompt_hash)
                            = (r.simulation_id, r.persona_id, r.prompt_hash))",
    },
    Check {
        name: "each kept reply is as it was stored",
        breaches: "
            SELECT format('simulation %s, persona %s, reply of %s', simulation_id, persona_id, received_at)
            FROM call_replies WHERE reply_hash <> sha256(reply)",
    },
    Check {
        name: "each run counts at least the calls and tokens that its answers took",
        breaches: "
            SELECT format('simulation %s: %s calls, %s prompt, %s cached, %s written, %s completion and %s reasoning tokens '
                       'counted; its answers took %s, %s, %s, %s, %s and %s', s.id, s.calls, s.prompt_tokens, s.cached_tokens,
                       s.cache_write_tokens, s.completion_tokens, s.reasoning_tokens, a.calls, a.prompt, a.cached,
                       a.written, a.completion, a.reasoning)
            FROM simulations s JOIN (
                SELECT simulation_id, count(*) AS calls, sum(prompt) AS prompt, sum(cached) AS cached,
                    sum(completion) AS completion, sum(reasoning) AS reasoning, sum(written) AS written
                FROM (SELECT simulation_id, sum(prompt_tokens) AS prompt, sum(cached_tokens) AS cached,
                          sum(completion_tokens) AS completion, sum(reasoning_tokens) AS reasoning,
                          sum(cache_write_tokens) AS written
                      FROM responses GROUP BY simulation_id, persona_id, prompt_hash) AS by_call
                GROUP BY simulation_id) a ON a.simulation_id = s.id
            WHERE s.calls < a.calls OR s.prompt_tokens < a.prompt OR s.cached_tokens < a.cached
                OR s.completion_tokens < a.completion OR s.reasoning_tokens < a.reasoning
                OR s.cache_write_tokens < a.written",
    },
    Check {
        name: "each twin that a run asked has the texts that it had then",
        breaches: "
            SELECT format('set %s, persona %s: its texts have another hash', p.set_id, p.id)
            FROM personas p
            WHERE EXISTS (SELECT FROM simulations s WHERE s.persona_set_id = p.set_id)
                AND p.text_hash IS DISTINCT FROM persona_text_hash(p.summary, p.full_text)",
    },
];
