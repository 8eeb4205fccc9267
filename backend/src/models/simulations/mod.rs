//! Simulations: a run of one survey over a frozen list of personas.
//!
//! The row is the source of truth. [`start`] creates it, [`control`] and [`passes`] change its state on request,
//! [`settlement`](crate::models::settlement) moves its counters until it ends, [`reconcile`] recounts it.

mod choice;
pub mod claims;
pub mod control;
pub mod costs;
mod deal;
pub mod estimate;
mod interviews;
pub mod names;
pub mod overview;
pub mod passes;
pub mod plans;
pub mod preview;
pub mod pricing;
pub mod progress;
pub mod reconcile;
mod refusal;
mod row;
pub mod speed;
pub mod start;
pub mod trials;
pub mod workload;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::answers::ServedBy;
use simulation::parameters::DEFAULT_SERVER;
use simulation::row::Simulation;
use simulation::status::Status;

pub use self::refusal::SimulationRefusal;
pub(crate) use self::row::lock;
use crate::models::group_members::{self, HoldOutcome};
use crate::schema::simulations;

/// Returns the models and fingerprints that the server named in a run's answers: the first ten by name.
pub async fn served_by(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<ServedBy>> {
    sql_query(
        "SELECT model, fingerprint FROM simulation_models WHERE simulation_id = $1 ORDER BY model, fingerprint LIMIT 10",
    )
    .bind::<BigInt, _>(id)
    .load(conn)
    .await
}

pub async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<Simulation>> {
    simulations::table.find(id).first(conn).await.optional()
}

/// Returns the runs with these ids, by id.
pub async fn find_all(conn: &mut AsyncPgConnection, ids: &[i64]) -> QueryResult<Vec<Simulation>> {
    let found = simulations::table.filter(simulations::id.eq_any(ids)).order(simulations::id);
    found.load(conn).await
}

/// State of a run, for the workers that may hold some of its interviews.
#[derive(Clone, Copy, Debug)]
pub struct RunStatus {
    pub id: i64,
    pub status: Status,
    pub attempt: i32,
    /// When the key that it asks with was set, if that is its group's. `None` of such a run: the key was removed.
    pub key_set_at: Option<DateTime<Utc>>,
}

#[derive(QueryableByName)]
struct StatusRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Integer)]
    attempt: i32,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    key_set_at: Option<DateTime<Utc>>,
}

/// Returns the queued and running simulations and those in `others`, oldest first.
pub async fn run_statuses(conn: &mut AsyncPgConnection, others: &[i64]) -> QueryResult<Vec<RunStatus>> {
    let rows: Vec<StatusRow> = sql_query(
        "SELECT run.id, run.status, run.attempt, stored.set_at AS key_set_at
         FROM simulations AS run LEFT JOIN group_model_keys AS stored
             ON stored.group_id = run.group_id AND stored.server = coalesce(run.model_server, $2)
                 AND run.parameters ->> 'keyOwner' = 'group'
         WHERE run.status IN ('QUEUED', 'RUNNING') OR run.id = ANY($1) ORDER BY run.id",
    )
    .bind::<Array<BigInt>, _>(others)
    .bind::<Text, _>(DEFAULT_SERVER)
    .load(conn)
    .await?;
    let run_status = |StatusRow { id, status, attempt, key_set_at }: StatusRow| {
        Some(RunStatus { id, status: status.parse().ok()?, attempt, key_set_at })
    };
    Ok(rows.into_iter().filter_map(run_status).collect())
}

/// Sets aside `needed` credits of the member for a run.
async fn hold(conn: &mut AsyncPgConnection, group_id: i64, user_id: i64, needed: i64) -> Result<(), SimulationRefusal> {
    match group_members::hold_credits(conn, group_id, user_id, needed).await? {
        HoldOutcome::Held => Ok(()),
        HoldOutcome::TooFew { available } => Err(SimulationRefusal::NotEnoughCredits { needed, available }),
        HoldOutcome::NotAMember => Err(SimulationRefusal::NotAMember),
        HoldOutcome::GroupClosed => Err(SimulationRefusal::GroupClosed),
    }
}
