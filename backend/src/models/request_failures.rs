//! Requests that gave no answer, with the reason.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::request_failures;

#[derive(Clone, Debug, Queryable, Selectable, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[diesel(table_name = request_failures, check_for_backend(diesel::pg::Pg))]
pub struct RequestFailure {
    pub persona_id: i32,
    pub question_id: i64,
    pub code: String,
    pub message: String,
    /// The model's text.
    pub detail: Option<String>,
    pub attempts: i16,
    /// A retry pass asks it again: it counts as open, not as failed.
    pub retrying: bool,
    pub created_at: DateTime<Utc>,
}

/// The failures of a run's personas from `after` (exclusive) to `last` (inclusive), by persona and question.
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

/// One cause, and how many of a run's requests failed of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, QueryableByName)]
#[schema(as = FailureCause)]
pub struct Cause {
    /// The kind, e.g. `refused`, `invalid_answer`, `server_error`, `poison`.
    #[diesel(sql_type = Text)]
    #[schema(example = "refused")]
    pub code: String,
    /// In words, for a person: of one of the requests.
    #[diesel(sql_type = Text)]
    #[schema(example = "the model refused to answer")]
    pub message: String,
    #[diesel(sql_type = BigInt)]
    #[schema(example = 3)]
    pub count: i64,
    /// Of how many twins.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 2)]
    pub personas: i64,
}

/// Why requests of a run failed, the commonest cause first. What is being asked again has not failed.
pub async fn causes(conn: &mut AsyncPgConnection, simulation: i64) -> QueryResult<Vec<Cause>> {
    sql_query(
        "SELECT code, min(message) AS message, count(*) AS count, count(DISTINCT persona_id) AS personas
         FROM request_failures WHERE simulation_id = $1 AND NOT retrying
         GROUP BY code ORDER BY count(*) DESC, code",
    )
    .bind::<BigInt, _>(simulation)
    .load(conn)
    .await
}
