//! Answers of a run's twins over the API.

mod diagnostics;
mod downloads;
mod experiments;
mod facts;
mod lists;
mod matrix;
mod people;
mod samples;
mod statistics;
mod summary;
mod texts;
mod wide;

use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{Client, TestApp};

/// A client of the survey's owner, with the planted run.
pub async fn owner(app: &TestApp, stage: PlantedRun) -> Client {
    sample::plant(&mut *app.connection().await, stage).await;
    app.client("user@test.example", Role::User).await
}

/// The planted run's address, followed by `end`.
pub fn at(end: &str) -> String {
    format!("/api/surveys/1/simulation/{SIMULATION_ID}/{end}")
}

/// Adds personas to the planted run, up to `last`, which all answer like the first one.
pub async fn enlarge(app: &TestApp, last: i32) {
    sample::run(
        &mut *app.connection().await,
        &format!(
            "INSERT INTO personas (set_id, id, pid, name, summary)
                SELECT 1, n, n::text, 'Twin ' || n, 'text' FROM generate_series(4, {last}) n;
             INSERT INTO simulation_personas SELECT 7, n, 1 FROM generate_series(4, {last}) n;
             INSERT INTO responses SELECT 1000 + n, 7, n, question_id, answer, answer_value, option_order, attempt,
                model, fingerprint, prompt_hash, latency_ms, prompt_tokens, cached_tokens, completion_tokens, created_at
                FROM responses, generate_series(4, {last}) n WHERE persona_id = 1;
             UPDATE simulations SET persona_count = {last}, total_requests = {last} * 9,
                successful_requests = successful_requests + ({last} - 3) * 9;
             UPDATE transactions SET amount = amount + ({last} - 3) * 9, effect = effect - ({last} - 3) * 9
                WHERE type = 'MINES';
             INSERT INTO transactions (group_id, user_id, type, amount, effect, description)
                VALUES (1, 2, 'ADD', ({last} - 3) * 9, ({last} - 3) * 9, 'for more twins')"
        ),
    )
    .await;
}
