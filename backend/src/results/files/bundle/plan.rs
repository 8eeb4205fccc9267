//! The frozen plan of the study that a run belongs to: stored in `run/plan.json`, from which `analysis/plan.json` and
//! `deviations.md` are built.

use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use survey::hex::hex;

use super::io::read_json;
use super::paths::PLAN;
use super::request::Bundled;
use super::rules::BuildRules;
use crate::error::{Error, Result};
use crate::models::study_plans;
use crate::models::study_plans::deviations::{self, Deviation};
use crate::models::study_plans::frozen::{self, FrozenPlan, PlanContent};
use crate::results::plans;

/// `run/plan.json`. The users who froze the plan or deviated from it are left out.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlanRecord {
    frozen_at: DateTime<Utc>,
    canonical: String,
    sha256: String,
    deviations: Vec<Deviation>,
}

impl PlanRecord {
    /// `None`: the run belongs to no study with a frozen plan.
    pub async fn of(conn: &mut AsyncPgConnection, simulation_id: i64) -> Result<Option<Self>> {
        let Some(plan) = study_plans::of_run(conn, simulation_id).await? else { return Ok(None) };
        let Some(frozen) = frozen::of_plan(conn, plan.id).await? else { return Ok(None) };
        let noted = deviations::list(conn, plan.id).await?;
        let FrozenPlan { frozen_at, canonical, sha256 } = frozen;
        Ok(Some(Self { frozen_at, canonical, sha256, deviations: noted.into_iter().map(|(noted, _)| noted).collect() }))
    }
}

/// The plan that an opened bundle stores below `folder`. `None`: it has none.
pub(super) fn read(folder: &Path) -> Result<Option<(PlanRecord, PlanContent)>> {
    if !folder.join(PLAN).is_file() {
        return Ok(None);
    }
    let record: PlanRecord = read_json(folder, PLAN)?;
    if hex(&Sha256::digest(&record.canonical)) != record.sha256 {
        return Err(Error::bad_input(format!("{PLAN}: the frozen plan has another SHA-256 than it says")));
    }
    let content =
        serde_json::from_str(&record.canonical).map_err(|error| Error::bad_input(format!("{PLAN}: {error}")))?;
    Ok(Some((record, content)))
}

/// Builds `analysis/plan.json`, whose SHA-256 is the plan's, and `deviations.md`.
pub(super) fn build(record: PlanRecord, title: &str, folder: &Path, rules: &BuildRules) -> Result<()> {
    let PlanRecord { canonical, sha256, deviations, .. } = record;
    let words = rules.have_words().then(|| ("deviations.md", plans::deviations(title, &sha256, &deviations)));
    for (name, text) in [("analysis/plan.json", canonical)].into_iter().chain(words) {
        fs::write(folder.join(name), text).map_err(|error| Error::internal(format!("{name}: {error}")))?;
    }
    Ok(())
}

/// Fails if a blind plan hides the results.
pub(super) async fn must_be_shown(conn: &mut AsyncPgConnection, of: Bundled) -> Result<()> {
    match of {
        Bundled::Run(id) => study_plans::must_be_shown(conn, id).await?,
        Bundled::Study(id) => study_plans::study_must_be_shown(conn, id).await?,
    }
    Ok(())
}
