//! The newest check of each model of a model server.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Double, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::Value;
use simulation::known_parameters::KnownParameter;
use simulation::model_check::ModelCheck;
use utoipa::ToSchema;

use crate::models::json::unreadable;
use crate::models::model_refusals;
use crate::schema::{model_check_runs, model_checks};

/// The newest check of a model.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredCheck {
    pub checked_at: DateTime<Utc>,
    #[serde(flatten)]
    pub check: ModelCheck,
}

/// Stores a check in place of an earlier one. What calls of runs showed of the model before does not count any more.
pub async fn store(
    conn: &mut AsyncPgConnection,
    server: &str,
    check: &ModelCheck,
    known: &[KnownParameter],
) -> QueryResult<()> {
    let json = |value: serde_json::Result<Value>| {
        value.map_err(|error| diesel::result::Error::SerializationError(Box::new(error)))
    };
    let (outcome, known) = (json(serde_json::to_value(check))?, json(serde_json::to_value(known))?);
    conn.transaction(async |conn| {
        let values = (
            model_checks::checked_at.eq(diesel::dsl::now),
            model_checks::outcome.eq(outcome),
            model_checks::known.eq(known),
        );
        diesel::insert_into(model_checks::table)
            .values((model_checks::server.eq(server), model_checks::model.eq(&check.model), values.clone()))
            .on_conflict((model_checks::server, model_checks::model))
            .do_update()
            .set(values)
            .execute(conn)
            .await?;
        model_refusals::forget(conn, server, &check.model).await
    })
    .await
}

/// Reads the newest check of each model of the server, by model.
pub async fn of_server(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<Vec<StoredCheck>> {
    let rows: Vec<(DateTime<Utc>, Value)> = model_checks::table
        .filter(model_checks::server.eq(server))
        .order(model_checks::model)
        .select((model_checks::checked_at, model_checks::outcome))
        .load(conn)
        .await?;
    let stored = |(checked_at, outcome)| {
        Ok(StoredCheck { checked_at, check: serde_json::from_value(outcome).map_err(unreadable)? })
    };
    rows.into_iter().map(stored).collect()
}

/// Reads what the newest check found out about the model's parameters, and its time. `None`: it was never checked.
pub async fn known(
    conn: &mut AsyncPgConnection,
    server: &str,
    model: &str,
) -> QueryResult<Option<(DateTime<Utc>, Vec<KnownParameter>)>> {
    let found: Option<(DateTime<Utc>, Value)> = model_checks::table
        .find((server, model))
        .select((model_checks::checked_at, model_checks::known))
        .first(conn)
        .await
        .optional()?;
    let Some((checked_at, known)) = found else { return Ok(None) };
    Ok(Some((checked_at, serde_json::from_value(known).map_err(unreadable)?)))
}

/// Notes that a check of the server begins. Returns false if one is under way that began less than so many seconds ago: an
/// older one has died with its process.
pub async fn begin(conn: &mut AsyncPgConnection, server: &str, longest_s: f64) -> QueryResult<bool> {
    let begun = sql_query(
        "INSERT INTO model_check_runs AS run (server) VALUES ($1)
         ON CONFLICT (server) DO UPDATE SET started_at = now(), ended_at = NULL, failure = NULL
         WHERE run.ended_at IS NOT NULL OR run.started_at < now() - make_interval(secs => $2)",
    )
    .bind::<Text, _>(server)
    .bind::<Double, _>(longest_s)
    .execute(conn)
    .await?;
    Ok(begun > 0)
}

/// Notes that the check of the server is over, and why it found nothing out, if it did not.
pub async fn end(conn: &mut AsyncPgConnection, server: &str, failure: Option<&str>) -> QueryResult<()> {
    diesel::update(model_check_runs::table.find(server))
        .set((model_check_runs::ended_at.eq(diesel::dsl::now), model_check_runs::failure.eq(failure)))
        .execute(conn)
        .await?;
    Ok(())
}

/// How the last check of a server stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckProgress {
    pub under_way: bool,
    pub failure: Option<String>,
}

/// Times of a check, and why it found nothing out.
type CheckTimes = (DateTime<Utc>, Option<DateTime<Utc>>, Option<String>);

/// Reads how the last check of the server stands. One that began more than so many seconds ago is not under way any more.
pub async fn progress(conn: &mut AsyncPgConnection, server: &str, longest_s: f64) -> QueryResult<CheckProgress> {
    let found: Option<CheckTimes> = model_check_runs::table
        .find(server)
        .select((model_check_runs::started_at, model_check_runs::ended_at, model_check_runs::failure))
        .first(conn)
        .await
        .optional()?;
    let Some((started_at, ended_at, failure)) = found else { return Ok(CheckProgress::default()) };
    let age = (Utc::now() - started_at).num_milliseconds() as f64 / 1000.0;
    let has_died = ended_at.is_none() && age > longest_s;
    let failure = failure.or_else(|| has_died.then(|| "the process that made it ended".to_owned()));
    Ok(CheckProgress { under_way: ended_at.is_none() && !has_died, failure })
}
