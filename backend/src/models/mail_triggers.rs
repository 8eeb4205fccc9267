//! Mails to the member who started a run, if the member's settings allow them: the run ended, an error paused it, or
//! few credits are left.
//!
//! Each statement binds the row id of its cause and runs in the transaction of its cause. Its `occasion` is unique, so
//! that each mail is queued once.

/// Queues the mail that fewer than 100 credits are left: once for each grant, at most one a day and member, and none to
/// a user who has never signed in. `$grant` selects the grant's id and member, and the grant's effect if the grant
/// itself must have lowered the budget below 100.
macro_rules! low_budget {
    ($grant:literal) => {
        concat!(
            "INSERT INTO mails (kind, recipient, user_id, facts, occasion)
             SELECT 'low_budget', u.email, u.id,
                jsonb_build_object('group', g.group_name, 'available', m.budget - m.held, 'grant', granted.id),
                format('low budget, member %s, %s', m.id, (now() AT TIME ZONE 'UTC')::date)
             FROM (",
            $grant,
            ") granted
                JOIN group_members m ON (m.group_id, m.user_id) = (granted.group_id, granted.user_id)
                    AND m.removed_at IS NULL
                JOIN groups g ON g.id = m.group_id AND g.deleted_at IS NULL
                JOIN users u ON u.id = m.user_id AND u.is_verified AND u.deleted_at IS NULL AND u.suspended_at IS NULL
                LEFT JOIN user_settings w ON w.user_id = u.id
             WHERE NOT EXISTS (SELECT FROM mails sent WHERE sent.user_id = u.id AND sent.kind = 'low_budget'
                    AND sent.facts -> 'grant' = to_jsonb(granted.id))
                AND m.budget - m.held < 100 AND coalesce(m.budget - m.held - granted.effect >= 100, true)
                AND coalesce(w.email_notifications AND w.low_budget, true)
             ON CONFLICT DO NOTHING"
        )
    };
}

/// Statements that run when a run ends.
pub const RUN_ENDED: [&str; 2] = [
    "INSERT INTO mails (kind, recipient, user_id, facts, occasion)
     SELECT 'run_ended', u.email, u.id,
        jsonb_build_object('survey', s.survey_snapshot ->> 'title', 'surveyId', s.survey_id,
            'simulationId', s.simulation_id, 'status', s.status, 'succeeded', s.successful_requests,
            'failed', s.failed_requests, 'reason', coalesce(s.error_message, '')),
        format('run %s, pass %s, ended', s.id, s.attempt)
     FROM simulations s
        JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL AND u.suspended_at IS NULL
        LEFT JOIN user_settings w ON w.user_id = u.id
     WHERE s.id = $1 AND s.status IN ('COMPLETED', 'FAILED')
        AND coalesce(w.email_notifications AND w.simulation_complete, true)
     ON CONFLICT DO NOTHING",
    low_budget!(
        "SELECT max(t.id) AS id, t.group_id, t.user_id, NULL::bigint AS effect
         FROM simulations s JOIN transactions t ON (t.group_id, t.user_id) = (s.group_id, s.user_id)
         WHERE s.id = $1 AND t.type <> 'MINES' GROUP BY t.group_id, t.user_id"
    ),
];

/// Statement that runs after a grant that lowers a budget below 100 credits.
pub const BUDGET_LOWERED: &str =
    low_budget!("SELECT id, group_id, user_id, effect FROM transactions WHERE id = $1 AND effect < 0");

/// Statement that runs after an error has paused a run: one mail for each pass and error code.
pub const RUN_PAUSED: &str = "
    INSERT INTO mails (kind, recipient, user_id, facts, occasion)
    SELECT 'run_paused', u.email, u.id,
        jsonb_build_object('survey', s.survey_snapshot ->> 'title', 'surveyId', s.survey_id,
            'simulationId', s.simulation_id, 'status', s.status, 'succeeded', s.successful_requests,
            'failed', s.failed_requests, 'reason', coalesce(s.error_message, '')),
        format('run %s, pass %s, paused, %s', s.id, s.attempt, s.error_code)
    FROM simulations s
        JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL AND u.suspended_at IS NULL
        LEFT JOIN user_settings w ON w.user_id = u.id
    WHERE s.id = $1 AND s.status = 'PAUSED'
        AND coalesce(w.email_notifications AND w.simulation_complete, true)
    ON CONFLICT DO NOTHING";
