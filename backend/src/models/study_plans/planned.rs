//! Loads the analyses that a run's frozen plan names.

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use simulation::plans::planned::PlannedAnalyses;

use super::frozen;
use crate::models::json::unreadable;

/// Returns the plan of the study that a run belongs to. `None`: it has none, or the plan is not frozen.
pub async fn of_run(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<Option<PlannedAnalyses>> {
    let Some(plan) = super::of_run(conn, simulation_id).await? else { return Ok(None) };
    let Some(frozen) = frozen::of_plan(conn, plan.id).await? else { return Ok(None) };
    Ok(Some(PlannedAnalyses::new(frozen.content().map_err(unreadable)?)))
}
