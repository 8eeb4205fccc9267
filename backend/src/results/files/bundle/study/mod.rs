//! The bundle of a study: its runs, each in a folder of its own, and what they make of the same questions.

mod comparison;
mod documents;

use std::fs;
use std::path::Path;

use super::documents::Documented;
use super::io::{failure, write_json};
use super::paths::RO_CRATE;
use super::rules::BuildRules;
use super::{data, ro_crate, study_record};
use crate::error::Result;

/// Builds all files of its runs, and then its own.
pub(super) fn build(root: &Path, rules: &BuildRules) -> Result<()> {
    let study = study_record::read(root)?;
    for run in &study.runs {
        data::build(&root.join(&run.folder), rules)?;
    }
    let runs = study.runs.iter().map(|run| Documented::read(&root.join(&run.folder)));
    let runs: Vec<Documented> = runs.collect::<Result<_>>()?;
    comparison::write(&study, &runs, root)?;
    if !rules.have_words() {
        return Ok(());
    }
    for (name, words) in documents::of(&study, &runs) {
        fs::write(root.join(name), words).map_err(|error| failure(name, &error))?;
    }
    // At last, since it tells what the other files are.
    write_json(root, RO_CRATE, &ro_crate::of_study(&study, &runs, root)?)
}
