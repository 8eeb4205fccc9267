//! Checks of the ledger, each with a query that selects its breaches.

pub(super) struct Check {
    pub(super) name: &'static str,
    /// Selects one text column: a description of each breach.
    pub(super) breaches: &'static str,
}

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "each member's budget is the sum of the ledger's effects, and not negative",
        breaches: "
            SELECT format('group %s, user %s: budget %s, ledger %s', m.group_id, m.user_id, m.budget,
                       coalesce(l.effect, 0))
            FROM group_members m
            LEFT JOIN (SELECT group_id, user_id, sum(effect) AS effect FROM transactions GROUP BY 1, 2) l
                USING (group_id, user_id)
            WHERE m.budget <> coalesce(l.effect, 0) OR m.budget < 0",
    },
    Check {
        name: "each entry of the ledger does to the budget what its type and amount say",
        breaches: "
            SELECT format('transaction %s (%s): amount %s, effect %s', id, type, amount, effect)
            FROM transactions
            WHERE NOT CASE type
                WHEN 'ADD' THEN effect = amount
                WHEN 'MINES' THEN amount >= 0 AND effect = -amount
                ELSE amount >= 0 OR reverses IS NOT NULL END",
    },
    Check {
        name: "each member's entries of the ledger are counted",
        breaches: "
            SELECT format('group %s, user %s: %s entries, counted %s', m.group_id, m.user_id, coalesce(l.entries, 0),
                       m.entries)
            FROM group_members m
            LEFT JOIN (SELECT group_id, user_id, count(*) AS entries FROM transactions GROUP BY 1, 2) l
                USING (group_id, user_id)
            WHERE m.entries <> coalesce(l.entries, 0)",
    },
    Check {
        name: "each member's held credits are the holds of their active runs, within the budget",
        breaches: "
            SELECT format('group %s, user %s: held %s, runs hold %s, budget %s', m.group_id, m.user_id, m.held,
                       coalesce(r.held, 0), m.budget)
            FROM group_members m
            LEFT JOIN (SELECT group_id, user_id, sum(held) AS held FROM simulations
                       WHERE status IN ('PENDING', 'QUEUED', 'RUNNING', 'PAUSED') GROUP BY 1, 2) r
                USING (group_id, user_id)
            WHERE m.held <> coalesce(r.held, 0) OR m.held NOT BETWEEN 0 AND m.budget",
    },
    Check {
        name: "an active run holds a credit for each open request and never more than it could still have spent",
        breaches: "
            SELECT format('simulation %s (%s): holds %s for %s open requests, %s of %s answered', id, status, held,
                       open_requests, successful_requests, total_requests)
            FROM simulations
            WHERE status IN ('PENDING', 'QUEUED', 'RUNNING', 'PAUSED')
                AND held NOT BETWEEN open_requests AND total_requests - successful_requests",
    },
    Check {
        name: "each run has paid one credit for each stored answer, and counts it as a success",
        breaches: "
            SELECT format('simulation %s: paid %s, answers %s, counted %s', s.id, coalesce(t.amount, 0),
                       coalesce(r.answers, 0), s.successful_requests)
            FROM simulations s
            LEFT JOIN (SELECT simulation_id, sum(amount) AS amount FROM transactions WHERE type = 'MINES'
                       GROUP BY 1) t ON t.simulation_id = s.id
            LEFT JOIN (SELECT simulation_id, count(*) AS answers FROM responses GROUP BY 1) r
                ON r.simulation_id = s.id
            WHERE coalesce(t.amount, 0) <> coalesce(r.answers, 0)
                OR coalesce(r.answers, 0) <> s.successful_requests",
    },
    Check {
        name: "each run pays by one entry a pass, from the account of the member who started it",
        breaches: "
            SELECT format('transaction %s: simulation %s, pass %s of %s, group %s, user %s', min(t.id),
                       t.simulation_id, t.attempt, max(s.attempt), t.group_id, t.user_id)
            FROM transactions t
            LEFT JOIN simulations s ON s.id = t.simulation_id
            WHERE t.type = 'MINES'
            GROUP BY t.simulation_id, t.attempt, t.group_id, t.user_id
            HAVING count(*) > 1 OR count(s.id) = 0 OR t.attempt NOT BETWEEN 1 AND max(s.attempt)
                OR t.group_id <> max(s.group_id) OR t.user_id <> max(s.user_id)",
    },
    Check {
        name: "each reversal undoes exactly one entry, which says so",
        breaches: "
            SELECT format('transaction %s: effect %s, reversed by %s with effect %s', o.id, o.effect, r.id, r.effect)
            FROM transactions o
            FULL JOIN transactions r ON r.reverses = o.id
            WHERE (r.reverses IS NOT NULL OR o.reversed_at IS NOT NULL)
                AND (o.id IS NULL OR r.id IS NULL OR o.reversed_at IS NULL OR r.effect <> -o.effect
                    OR (r.group_id, r.user_id) <> (o.group_id, o.user_id) OR o.type = 'MINES')",
    },
    Check {
        name: "at most one answer for each run, persona and question",
        breaches: "
            SELECT format('simulation %s, persona %s, question %s: %s answers', simulation_id, persona_id,
                       question_id, count(*))
            FROM responses GROUP BY simulation_id, persona_id, question_id HAVING count(*) > 1",
    },
    Check {
        name: "no request is both answered and failed",
        breaches: "
            SELECT format('simulation %s, persona %s, question %s', simulation_id, persona_id, question_id)
            FROM responses JOIN request_failures USING (simulation_id, persona_id, question_id)",
    },
    Check {
        name: "no answer or failure belongs to a persona or question that its run had not frozen",
        breaches: "
            SELECT format('simulation %s, persona %s, question %s: %s', a.simulation_id, a.persona_id,
                       a.question_id, a.kind)
            FROM (SELECT simulation_id, persona_id, question_id, 'answer' AS kind FROM responses
                  UNION ALL
                  SELECT simulation_id, persona_id, question_id, 'failure' FROM request_failures
                  UNION ALL
                  SELECT simulation_id, persona_id, question_id, 'not shown' FROM not_shown) a
            LEFT JOIN simulation_personas p USING (simulation_id, persona_id)
            LEFT JOIN simulation_questions q USING (simulation_id, question_id)
            WHERE p.simulation_id IS NULL OR q.simulation_id IS NULL",
    },
    Check {
        name: "each run counts the personas and questions that it froze, and asks all of these",
        breaches: "
            SELECT format('simulation %s: %s × %s = %s requests, frozen %s × %s', s.id, s.persona_count,
                       s.question_count, s.total_requests, coalesce(p.personas, 0), coalesce(q.questions, 0))
            FROM simulations s
            LEFT JOIN (SELECT simulation_id, count(*) AS personas FROM simulation_personas GROUP BY 1) p
                ON p.simulation_id = s.id
            LEFT JOIN (SELECT simulation_id, count(*) AS questions FROM simulation_questions GROUP BY 1) q
                ON q.simulation_id = s.id
            WHERE s.persona_count <> coalesce(p.personas, 0) OR s.question_count <> coalesce(q.questions, 0)
                OR s.total_requests <> coalesce(
                    (SELECT sum(a.requests) FROM assignments a WHERE a.simulation_id = s.id)
                        - (SELECT d.skipped FROM simulation_designs d WHERE d.simulation_id = s.id),
                    s.persona_count * s.question_count)",
    },
    Check {
        name: "each run counts what was not shown, which is neither answered nor failed",
        breaches: "
            SELECT format('simulation %s: %s not shown, %s counted, %s of them answered or failed', d.simulation_id,
                       coalesce(h.hidden, 0), d.skipped, coalesce(h.settled, 0))
            FROM simulation_designs d
            LEFT JOIN (SELECT n.simulation_id, count(*) AS hidden,
                           count(*) FILTER (WHERE r.question_id IS NOT NULL OR f.question_id IS NOT NULL) AS settled
                       FROM not_shown n
                       LEFT JOIN responses r USING (simulation_id, persona_id, question_id)
                       LEFT JOIN request_failures f USING (simulation_id, persona_id, question_id)
                       GROUP BY 1) h USING (simulation_id)
            WHERE d.skipped <> coalesce(h.hidden, 0) OR h.settled > 0",
    },
    Check {
        name: "each run counts its failed requests, and never more than it asks",
        breaches: "
            SELECT format('simulation %s: %s failures stored, %s counted, %s answered, %s requests', s.id,
                       coalesce(f.failures, 0), s.failed_requests, s.successful_requests, s.total_requests)
            FROM simulations s
            LEFT JOIN (SELECT simulation_id, count(*) AS failures FROM request_failures WHERE NOT retrying
                       GROUP BY 1) f ON f.simulation_id = s.id
            WHERE s.failed_requests <> coalesce(f.failures, 0)
                OR s.successful_requests + s.failed_requests > s.total_requests",
    },
    Check {
        name: "each active run counts its open requests: all that are left, or those that it asks again",
        breaches: "
            SELECT format('simulation %s (%s), pass %s: %s open counted, %s left, %s being asked again', s.id,
                       s.status, s.attempt, s.open_requests,
                       s.total_requests - s.successful_requests - s.failed_requests, coalesce(f.retrying, 0))
            FROM simulations s
            LEFT JOIN (SELECT simulation_id, count(*) AS retrying FROM request_failures WHERE retrying
                       GROUP BY 1) f ON f.simulation_id = s.id
            WHERE s.status IN ('PENDING', 'QUEUED', 'RUNNING', 'PAUSED')
                AND s.open_requests <> CASE WHEN s.retries_failed THEN coalesce(f.retrying, 0)
                    ELSE s.total_requests - s.successful_requests - s.failed_requests END",
    },
    Check {
        name: "an ended run is complete: nothing open, held or being asked again, every request accounted for",
        breaches: "
            SELECT format('simulation %s (%s): %s answered, %s failed, %s requests, %s open, holds %s, %s being '
                       'asked again', s.id, s.status, s.successful_requests, s.failed_requests, s.total_requests,
                       s.open_requests, s.held, coalesce(f.retrying, 0))
            FROM simulations s
            LEFT JOIN (SELECT simulation_id, count(*) AS retrying FROM request_failures WHERE retrying
                       GROUP BY 1) f ON f.simulation_id = s.id
            WHERE s.status IN ('STOPPED', 'COMPLETED', 'FAILED')
                AND (s.held <> 0 OR s.open_requests <> 0 OR s.completed_at IS NULL OR f.retrying > 0
                    OR (s.status = 'COMPLETED' AND s.successful_requests <> s.total_requests)
                    OR (s.status = 'FAILED' AND (s.failed_requests = 0
                        OR s.successful_requests + s.failed_requests <> s.total_requests)))",
    },
    Check {
        name: "a survey has at most one active run, or active runs of one study",
        breaches: "
            SELECT format('survey %s: simulations %s', s.survey_id, string_agg(s.id::text, ', ' ORDER BY s.id))
            FROM simulations s LEFT JOIN study_runs r ON r.simulation_id = s.id
            WHERE s.status IN ('PENDING', 'QUEUED', 'RUNNING', 'PAUSED')
            GROUP BY s.survey_id HAVING count(DISTINCT coalesce(-r.study_id, s.id)) > 1",
    },
    Check {
        name: "each run that was started as a part of a study is in one",
        breaches: "
            SELECT format('simulation %s: cell %s, in no study', s.id, s.parameters -> 'cell')
            FROM simulations s
            -- One that asks another run again has the cell of that one.
            WHERE s.parameters ? 'cell' AND NOT s.parameters ? 'reproduces'
                AND NOT EXISTS (SELECT FROM study_runs r WHERE r.simulation_id = s.id)",
    },
];

/// Checks that need the queue's table.
pub(super) const QUEUE_CHECKS: &[Check] = &[
    Check {
        name: "no message in the queue is for an ended run, or for an interview that there is not",
        breaches: "
            SELECT format('message %s: %s, %s', m.msg_id, m.message, coalesce(s.status, 'no such interview'))
            FROM pgmq.q_interviews m
            LEFT JOIN (simulations s JOIN simulation_personas p ON p.simulation_id = s.id)
                ON s.id::text = m.message ->> 'simulation' AND p.persona_id::text = m.message ->> 'persona'
            WHERE s.id IS NULL OR s.status IN ('STOPPED', 'COMPLETED', 'FAILED')",
    },
    Check {
        name: "no interview has two messages in the queue",
        breaches: "
            SELECT format('messages %s: %s', string_agg(msg_id::text, ', ' ORDER BY msg_id), subject)
            FROM (SELECT msg_id, jsonb_build_array(message -> 'simulation', message -> 'persona') AS subject
                  FROM pgmq.q_interviews) AS queued
            GROUP BY subject HAVING count(*) > 1",
    },
    Check {
        name: "each open interview of an active run has a message in the queue, or waits for a batch",
        breaches: "
            WITH active AS (
                SELECT id, retries_failed, question_count FROM simulations
                WHERE status IN ('PENDING', 'QUEUED', 'RUNNING', 'PAUSED')
            ), open AS (
                -- A pass asks all that is neither answered nor failed, or what had failed.
                SELECT a.id, p.persona_id FROM active a JOIN simulation_personas p ON p.simulation_id = a.id
                LEFT JOIN assignments dealt ON (dealt.simulation_id, dealt.persona_id) = (a.id, p.persona_id)
                WHERE NOT a.retries_failed AND coalesce(dealt.requests, a.question_count) >
                    (SELECT count(*) FROM responses r WHERE (r.simulation_id, r.persona_id) = (a.id, p.persona_id))
                    + (SELECT count(*) FROM request_failures f
                       WHERE (f.simulation_id, f.persona_id) = (a.id, p.persona_id))
                    + (SELECT count(*) FROM not_shown n
                       WHERE (n.simulation_id, n.persona_id) = (a.id, p.persona_id))
                UNION
                SELECT a.id, f.persona_id FROM active a JOIN request_failures f ON f.simulation_id = a.id
                WHERE f.retrying
            )
            SELECT format('simulation %s, persona %s', o.id, o.persona_id)
            FROM open o
            WHERE NOT EXISTS (SELECT 1 FROM pgmq.q_interviews m
                WHERE m.message ->> 'simulation' = o.id::text AND m.message ->> 'persona' = o.persona_id::text)
                AND NOT EXISTS (SELECT 1 FROM batch_calls c
                    LEFT JOIN simulation_batches b ON (b.simulation_id, b.number) = (c.simulation_id, c.number)
                    -- Replies are stored before their batch ends, and heard of when it does.
                    WHERE (c.simulation_id, c.persona_id) = (o.id, o.persona_id)
                        AND (c.reply IS NULL OR b.ended_at IS NULL))",
    },
    Check {
        name: "an interview waits for a batch that has not ended, or for the next one, in a run that asks in batches",
        breaches: "
            SELECT format('simulation %s (%s), persona %s: batch %s, ended %s', c.simulation_id, s.status, c.persona_id,
                       c.number, b.ended_at)
            FROM batch_calls c JOIN simulations s ON s.id = c.simulation_id
            LEFT JOIN simulation_batches b ON (b.simulation_id, b.number) = (c.simulation_id, c.number)
            WHERE c.reply IS NULL AND b.ended_at IS NOT NULL OR s.status IN ('COMPLETED', 'FAILED')
                OR NOT coalesce((s.parameters ->> 'batch')::boolean, false)",
    },
];
