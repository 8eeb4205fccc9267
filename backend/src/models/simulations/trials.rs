//! Trials: one persona asked before a survey is run.

use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;

use super::SimulationRefusal;
use super::start::{NewSimulation, start};
use crate::models::surveys::NewSurvey;
use crate::schema::surveys;

/// Starts a run of a copy of a survey, which stays open to changes. The copy is deleted in the same transaction, so no list ever
/// has it and nothing has to remove it later. The run, its answers and its ledger entry are like any other's.
pub async fn start_trial(
    conn: &mut AsyncPgConnection,
    copy: NewSurvey<'_>,
    run: NewSimulation,
) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let (copy, _) = copy.create(conn).await?;
        let started = start(conn, NewSimulation { survey_id: copy.id, ..run }).await?;
        // After the start, which refuses deleted surveys.
        diesel::update(surveys::table.find(copy.id)).set(surveys::deleted_at.eq(now)).execute(conn).await?;
        Ok(started)
    })
    .await
}
