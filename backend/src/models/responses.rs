//! Answers, as they were stored with what they came from.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;

use crate::schema::responses;

/// One stored answer: one persona's to one question of a run.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = responses, check_for_backend(diesel::pg::Pg))]
pub struct Response {
    pub id: i64,
    pub persona_id: i32,
    pub question_id: i64,
    pub answer: String,
    /// The same typed: string, array, number, boolean or object by matrix row.
    pub answer_value: Value,
    /// 1-based positions of the options in the order shown.
    pub option_order: Option<Vec<i16>>,
    pub attempt: i16,
    pub model: String,
    pub fingerprint: Option<String>,
    /// SHA-256 of the request's body.
    pub prompt_hash: Vec<u8>,
    pub latency_ms: i32,
    pub prompt_tokens: i32,
    pub cached_tokens: i32,
    pub completion_tokens: i32,
    pub created_at: DateTime<Utc>,
}

/// The answers of a run's personas after `after` up to and with `last`, by persona and question.
pub async fn of_personas(
    mut conn: &AsyncPgConnection,
    simulation: i64,
    after: i32,
    last: i32,
) -> QueryResult<Vec<Response>> {
    responses::table
        .filter(responses::simulation_id.eq(simulation))
        .filter(responses::persona_id.gt(after).and(responses::persona_id.le(last)))
        .order((responses::persona_id, responses::question_id))
        .select(Response::as_select())
        .load(&mut conn)
        .await
}
