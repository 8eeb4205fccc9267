//! Requests that gave no answer, with the reason.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::schema::request_failures;

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = request_failures, check_for_backend(diesel::pg::Pg))]
pub struct RequestFailure {
    pub persona_id: i32,
    pub question_id: i64,
    pub code: String,
    pub message: String,
    /// What the model had said.
    pub detail: Option<String>,
    pub attempts: i16,
    /// Being asked again: an open request, not a failed one.
    pub retrying: bool,
    pub created_at: DateTime<Utc>,
}

/// The failures of a run's personas after `after` up to and with `last`, by persona and question.
pub async fn of_personas(
    mut conn: &AsyncPgConnection,
    simulation: i64,
    after: i32,
    last: i32,
) -> QueryResult<Vec<RequestFailure>> {
    request_failures::table
        .filter(request_failures::simulation_id.eq(simulation))
        .filter(request_failures::persona_id.gt(after).and(request_failures::persona_id.le(last)))
        .order((request_failures::persona_id, request_failures::question_id))
        .select(RequestFailure::as_select())
        .load(&mut conn)
        .await
}
