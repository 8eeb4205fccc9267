//! Invariants of the database, written independently of `twinlab verify`.

use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

/// Checks, each with a query that selects the rows that break it.
const CHECKS: [(&str, &str); 9] = [
    (
        "a budget is the sum of its member's entries",
        "SELECT FROM group_members m WHERE budget <> (SELECT coalesce(sum(effect), 0) FROM transactions t
            WHERE (t.group_id, t.user_id) = (m.group_id, m.user_id))",
    ),
    (
        "what is held of a budget is what the member's runs hold",
        "SELECT FROM group_members m WHERE held <> (SELECT coalesce(sum(r.held), 0) FROM simulations r
            WHERE (r.group_id, r.user_id) = (m.group_id, m.user_id))",
    ),
    ("nobody holds more than they have", "SELECT FROM group_members WHERE held < 0 OR budget < held"),
    (
        "a run counts the answers that are stored",
        "SELECT FROM simulations r WHERE successful_requests <>
            (SELECT count(*) FROM responses a WHERE a.simulation_id = r.id)",
    ),
    (
        "a run's answers are paid, once each",
        "SELECT FROM simulations r WHERE successful_requests <> (SELECT coalesce(-sum(effect), 0) FROM transactions t
            WHERE t.simulation_id = r.id AND t.type = 'MINES')",
    ),
    (
        "every request is answered, failed or open, and none is open in a run that is over",
        "SELECT FROM simulations WHERE successful_requests + failed_requests + open_requests <> total_requests
            OR total_requests <> coalesce((SELECT sum(requests) FROM assignments a WHERE a.simulation_id = simulations.id)
                - (SELECT count(*) FROM not_shown n WHERE n.simulation_id = simulations.id),
                persona_count * question_count)
            OR status IN ('COMPLETED', 'FAILED') AND open_requests <> 0
            OR status = 'COMPLETED' AND failed_requests <> 0",
    ),
    (
        "only who is asked answers, and only what is asked",
        "SELECT FROM responses a WHERE NOT EXISTS (SELECT FROM simulation_personas p
                WHERE (p.simulation_id, p.persona_id) = (a.simulation_id, a.persona_id))
            OR NOT EXISTS (SELECT FROM simulation_questions q
                WHERE (q.simulation_id, q.question_id) = (a.simulation_id, a.question_id))",
    ),
    (
        "no request is both answered and failed, and failures are counted",
        "SELECT FROM simulations r WHERE failed_requests <> (SELECT count(*) FROM request_failures f
                WHERE f.simulation_id = r.id AND NOT f.retrying)
            OR EXISTS (SELECT FROM request_failures f JOIN responses a USING (simulation_id, persona_id, question_id)
                WHERE f.simulation_id = r.id)",
    ),
    (
        "who has something open in a run that is not over is queued once or waits for a batch, and nobody else",
        "SELECT FROM (SELECT p.simulation_id, p.persona_id, coalesce((SELECT requests FROM assignments d
                    WHERE (d.simulation_id, d.persona_id) = (p.simulation_id, p.persona_id)), r.question_count) > (
                    SELECT count(*) FROM responses a
                    WHERE (a.simulation_id, a.persona_id) = (p.simulation_id, p.persona_id)) + (
                    SELECT count(*) FROM request_failures f
                    WHERE (f.simulation_id, f.persona_id) = (p.simulation_id, p.persona_id) AND NOT f.retrying) + (
                    SELECT count(*) FROM not_shown n
                    WHERE (n.simulation_id, n.persona_id) = (p.simulation_id, p.persona_id))
                AND r.status NOT IN ('COMPLETED', 'FAILED', 'STOPPED') AS open
            FROM simulation_personas p JOIN simulations r ON r.id = p.simulation_id) AS asked
         FULL JOIN (SELECT simulation_id, persona_id, count(*) AS messages FROM (
                SELECT (message ->> 'simulation')::bigint AS simulation_id, (message ->> 'persona')::integer AS persona_id
                FROM pgmq.q_interviews
                UNION ALL
                SELECT c.simulation_id, c.persona_id FROM batch_calls c JOIN simulations r ON r.id = c.simulation_id
                LEFT JOIN simulation_batches b ON (b.simulation_id, b.number) = (c.simulation_id, c.number)
                WHERE (c.reply IS NULL OR b.ended_at IS NULL) AND r.status NOT IN ('COMPLETED', 'FAILED', 'STOPPED')) AS each
            GROUP BY 1, 2) AS queued USING (simulation_id, persona_id)
         WHERE CASE WHEN coalesce(asked.open, false) THEN 1 ELSE 0 END <> coalesce(messages, 0)",
    ),
];

#[derive(diesel::QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Runs all nine, each in a snapshot of its own.
pub async fn nine_checks(connection: &mut AsyncPgConnection) {
    for (promise, breaches) in CHECKS {
        let sql = format!("SELECT count(*) AS number FROM ({breaches}) AS breaches");
        let found: Found =
            diesel::sql_query(&sql).get_result(connection).await.unwrap_or_else(|reason| panic!("{promise}: {reason}"));
        assert_eq!(found.number, 0, "{promise}");
    }
}
