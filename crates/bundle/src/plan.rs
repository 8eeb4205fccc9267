//! The frozen plan of the study that a run belongs to: stored in `run/plan.json`, from which `analysis/plan.json` and
//! `deviations.md` are built.

use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use simulation::error::{Error, Result};
use simulation::plans::content::PlanContent;
use simulation::plans::deviation::Deviation;
use simulation::plans::markdown;
use survey::hex::hex;

use crate::io::read_json;
use crate::paths::PLAN;
use crate::rules::BuildRules;

/// `run/plan.json`. The users who froze the plan or deviated from it are left out.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanRecord {
    pub frozen_at: DateTime<Utc>,
    pub canonical: String,
    pub sha256: String,
    pub deviations: Vec<Deviation>,
}

/// The plan that an opened bundle stores below `folder`. `None`: it has none.
pub fn read(folder: &Path) -> Result<Option<(PlanRecord, PlanContent)>> {
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
pub fn build(record: PlanRecord, title: &str, folder: &Path, rules: &BuildRules) -> Result<()> {
    let PlanRecord { canonical, sha256, deviations, .. } = record;
    let words = rules.have_words().then(|| ("deviations.md", markdown::deviations(title, &sha256, &deviations)));
    for (name, text) in [("analysis/plan.json", canonical)].into_iter().chain(words) {
        fs::write(folder.join(name), text).map_err(|error| Error::internal(format!("{name}: {error}")))?;
    }
    Ok(())
}
