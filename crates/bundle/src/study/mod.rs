//! The bundle of a study: its runs, each in a folder of its own, and what they make of the same questions.

mod comparison;
mod documents;

use std::fs;
use std::path::Path;

use simulation::error::Result;

use crate::documents::Documented;
use crate::io::{failure, write_json};
use crate::paths::RO_CRATE;
use crate::ro_crate;
use crate::rules::BuildRules;
use crate::study_record::StudyRecord;

/// Builds the study's own files, after those of its runs.
pub fn build(study: &StudyRecord, root: &Path, rules: &BuildRules) -> Result<()> {
    let runs = study.runs.iter().map(|run| Documented::read(&root.join(&run.folder)));
    let runs: Vec<Documented> = runs.collect::<Result<_>>()?;
    comparison::write(study, &runs, root)?;
    if !rules.have_words() {
        return Ok(());
    }
    for (name, words) in documents::of(study, &runs) {
        fs::write(root.join(name), words).map_err(|error| failure(name, &error))?;
    }
    // At last, since it tells what the other files are.
    write_json(root, RO_CRATE, &ro_crate::of_study(study, &runs, root)?)
}
