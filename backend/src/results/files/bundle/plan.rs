//! The frozen plan of the study that a run belongs to: stored in `run/plan.json`, from which `analysis/plan.json` and
//! `deviations.md` are built.

use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};

use super::record::json;
use super::{Bundled, PLAN};
use crate::error::{Error, Result};
use crate::models::study_plans;
use crate::models::study_plans::deviations::{self, Deviation};
use crate::models::study_plans::freeze::{self, FrozenPlan};
use crate::results::plans;

/// `run/plan.json`. Who froze the plan, and who deviated from it, is nobody's business.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanRecord {
    frozen_at: DateTime<Utc>,
    canonical: String,
    sha256: String,
    deviations: Vec<Deviation>,
}

impl PlanRecord {
    /// `None`: the run belongs to no study with a frozen plan.
    pub async fn of(conn: &mut AsyncPgConnection, simulation_id: i64) -> Result<Option<Self>> {
        let Some(plan) = study_plans::of_run(conn, simulation_id).await? else { return Ok(None) };
        let Some(frozen) = freeze::of_plan(conn, plan.id).await? else { return Ok(None) };
        let noted = deviations::list(conn, plan.id).await?;
        let FrozenPlan { frozen_at, canonical, sha256 } = frozen;
        Ok(Some(Self { frozen_at, canonical, sha256, deviations: noted.into_iter().map(|(noted, _)| noted).collect() }))
    }
}

/// Builds `analysis/plan.json`, whose SHA-256 is the plan's, and `deviations.md`, where the bundle stores a plan.
pub(super) fn build(folder: &Path) -> Result<()> {
    if !folder.join(PLAN).is_file() {
        return Ok(());
    }
    let PlanRecord { frozen_at, canonical, sha256, deviations } = json(folder, PLAN)?;
    let frozen = FrozenPlan { frozen_at, canonical, sha256 };
    let content = frozen.content().map_err(|error| Error::bad_input(format!("{PLAN}: {error}")))?;
    let words = plans::deviations(&content.plan.title, &frozen.sha256, &deviations);
    for (name, text) in [("analysis/plan.json", frozen.canonical), ("deviations.md", words)] {
        fs::write(folder.join(name), text).map_err(|error| Error::internal(format!("{name}: {error}")))?;
    }
    Ok(())
}

/// Refuses what a blind plan hides.
pub(super) async fn must_be_shown(conn: &mut AsyncPgConnection, of: Bundled) -> Result<()> {
    let is_hidden = match of {
        Bundled::Run(id) => study_plans::hides_results(conn, id).await?,
        Bundled::Study(id) => study_plans::hides_study(conn, id).await?,
    };
    if is_hidden {
        return Err(Error::bad_input("the results are hidden until the plan of the study is frozen"));
    }
    Ok(())
}
