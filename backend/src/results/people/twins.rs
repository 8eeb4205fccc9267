//! Reads the answers of a run's twins for the statistics.

use evidence::upload::{Reading, ReservedColumns};
use simulation::run::Run;
use simulation::twins::TwinAnswers;

use crate::db::AsyncPool;
use crate::error::Result;
use crate::results::pages::Pages;

/// Reads the answers of all twins of a run, with these columns.
pub async fn twins(pool: &AsyncPool, run: &Run, reserved: &ReservedColumns) -> Result<Reading> {
    let mut answers = TwinAnswers::new(run, reserved);
    let mut pages = Pages::new(run).without_provenance();
    while let Some(page) = pages.next_from(pool).await? {
        answers.add(run, &page);
    }
    Ok(answers.take())
}
