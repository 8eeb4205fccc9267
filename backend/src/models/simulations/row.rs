//! The row of a run, locked.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;

use super::refusal::SimulationRefusal;
use crate::schema::simulations;

/// Returns the run's row, locked until the transaction ends. Uses FOR NO KEY UPDATE: foreign-key checks take KEY SHARE
/// in any order, and FOR UPDATE would deadlock with them.
pub(crate) async fn lock(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    simulations::table.find(id).for_no_key_update().first(conn).await.optional()?.ok_or(SimulationRefusal::NotFound)
}
