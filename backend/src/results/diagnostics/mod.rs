//! Diagnoses known pitfalls of answers of language models, in one pass over the answers of a run.

mod repeats;

use evidence::diagnostics::{Diagnosis, Thresholds, instability};

use self::repeats::RepeatedAnswers;
use simulation::diagnostics::CollectedAnswers;
use simulation::run::Run;

use super::pages::Pages;
use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::models::responses;
use crate::validation::right_answers;

/// Returns all diagnoses, in a fixed order.
pub async fn diagnose(pool: &AsyncPool, run: &Run, thresholds: &Thresholds) -> Result<Vec<Diagnosis>> {
    let mut conn = db::checkout(pool).await?;
    let known = right_answers::of_run(&mut conn, run).await?;
    let mut repeated = RepeatedAnswers::find(&mut conn, run).await?;
    let fingerprints = responses::fingerprints_of_other_runs(&mut conn, run.facts.id).await?;
    drop(conn);
    let mut collected = CollectedAnswers::new(run, known);
    collected.add_fingerprints(fingerprints);
    let mut pages = Pages::new(run);
    while let Some(page) = pages.next_from(pool).await? {
        page.iter().for_each(|interview| collected.add(run, interview));
        if let Some(repeated) = &mut repeated {
            repeated.add(run, &page);
        }
    }
    let rows = match repeated {
        Some(repeated) => repeated.rows(pool, run).await?,
        None => Vec::new(),
    };
    let unstable = rows
        .iter()
        .filter_map(|(item, rows)| instability(&item.name, rows, item.is_only_named(), thresholds))
        .collect();
    Ok(collected.diagnoses(run, unstable, thresholds))
}
