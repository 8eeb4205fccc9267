//! Requests that failed, with the reason.

use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use simulation::answers::RequestFailure;
use utoipa::ToSchema;

use crate::schema::request_failures;

/// The columns of a failure, in the order of its fields.
#[auto_type]
fn columns() -> _ {
    (
        request_failures::persona_id,
        request_failures::question_id,
        request_failures::code,
        request_failures::message,
        request_failures::detail,
        request_failures::attempts,
        request_failures::retrying,
        request_failures::created_at,
    )
}

/// Returns the failures of a run's personas from `after` (exclusive) to `last` (inclusive), by persona and question. If
/// `only` is given, those of these personas alone.
pub async fn of_personas(
    mut conn: &AsyncPgConnection,
    simulation: i64,
    after: i32,
    last: i32,
    only: Option<&[i32]>,
) -> QueryResult<Vec<RequestFailure>> {
    let failures = request_failures::table
        .filter(request_failures::simulation_id.eq(simulation))
        .filter(request_failures::persona_id.gt(after).and(request_failures::persona_id.le(last)))
        .order((request_failures::persona_id, request_failures::question_id))
        .select(columns());
    match only {
        None => failures.load(&mut conn).await,
        Some(only) => failures.filter(request_failures::persona_id.eq_any(only)).load(&mut conn).await,
    }
}

/// A cause of failures, with the number of a run's requests that it affected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, QueryableByName)]
#[schema(as = FailureCause)]
pub struct Cause {
    /// Kind of failure, for example `refused`, `invalid_answer`, `server_error` or `poison`.
    #[diesel(sql_type = Text)]
    #[schema(example = "refused")]
    pub code: String,
    /// Message of one of the failed requests, for people.
    #[diesel(sql_type = Text)]
    #[schema(example = "the model refused to answer")]
    pub message: String,
    #[diesel(sql_type = BigInt)]
    #[schema(example = 3)]
    pub count: i64,
    /// Number of twins affected.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 2)]
    pub personas: i64,
}

/// Returns the causes of a run's failures, most frequent first. Requests that are being asked again are not counted.
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
