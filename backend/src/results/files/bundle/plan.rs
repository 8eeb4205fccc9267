//! The frozen plan of the study that a run belongs to.

use ::bundle::plan::PlanRecord;
use diesel_async::AsyncPgConnection;
use simulation::plans::content::FrozenPlan;

use super::request::Bundled;
use crate::error::Result;
use crate::models::study_plans::{self, deviations, frozen};

/// Reads the record of a run's plan. `None`: the run belongs to no study with a frozen plan.
pub(super) async fn record(conn: &mut AsyncPgConnection, simulation_id: i64) -> Result<Option<PlanRecord>> {
    let Some(plan) = study_plans::of_run(conn, simulation_id).await? else { return Ok(None) };
    let Some(frozen) = frozen::of_plan(conn, plan.id).await? else { return Ok(None) };
    let noted = deviations::list(conn, plan.id).await?;
    let FrozenPlan { frozen_at, canonical, sha256 } = frozen;
    let deviations = noted.into_iter().map(|(noted, _)| noted).collect();
    Ok(Some(PlanRecord { frozen_at, canonical, sha256, deviations }))
}

/// Fails if a blind plan hides the results.
pub async fn must_be_shown(conn: &mut AsyncPgConnection, of: Bundled) -> Result<()> {
    match of {
        Bundled::Run(id) => study_plans::must_be_shown(conn, id).await?,
        Bundled::Study(id) => study_plans::study_must_be_shown(conn, id).await?,
    }
    Ok(())
}
