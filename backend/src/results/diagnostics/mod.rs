//! What is known to go wrong with answers of language models, looked for in the answers of a run in one pass.

mod collected;
mod repeats;
mod scales;

use evidence::diagnostics::{Diagnostic, Finding, Thresholds, instability};

pub use self::collected::{AnswerKey, CollectedAnswers};
pub use self::scales::scales;

use self::repeats::RepeatedAnswers;
use super::pages::Pages;
use super::run::Run;
use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::models::responses;
use crate::validation::right_answers;

/// One pitfall: what was measured, or why nothing can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    pub diagnostic: Diagnostic,
    /// By question or group, those that warn first.
    pub findings: std::result::Result<Vec<Finding>, &'static str>,
}

impl Diagnosis {
    /// One that people's answers, or repeats, tell of.
    pub fn of_people(diagnostic: Diagnostic, findings: Vec<Finding>) -> Self {
        let missing = match diagnostic {
            Diagnostic::Instability => "needs the same twins asked again: start a study with repeats",
            Diagnostic::Spread => "no question has numbers or an order that people differ in",
            Diagnostic::SubgroupError => {
                "needs people with their own twins, and a column to compare groups by of 30 each"
            }
            Diagnostic::Stereotyping => {
                "needs people with their own twins, and an attribute to compare groups by or regress on"
            }
            Diagnostic::StraightLining => "people answered no matrix of four rows or more",
            Diagnostic::MixedKeys => "people answered no scale of which some items are marked as reversed",
            _ => "not measured here",
        };
        Self::found(diagnostic, findings, missing)
    }

    /// Those that warn first.
    fn found(diagnostic: Diagnostic, mut findings: Vec<Finding>, missing: &'static str) -> Self {
        findings.sort_by_key(|finding| !finding.warns);
        let findings = if findings.is_empty() { Err(missing) } else { Ok(findings) };
        Self { diagnostic, findings }
    }
}

/// All pitfalls, in a fixed order.
pub async fn diagnose(pool: &AsyncPool, run: &Run, thresholds: &Thresholds) -> Result<Vec<Diagnosis>> {
    let mut conn = db::checkout(pool).await?;
    let known = right_answers::of_run(&mut conn, run).await?;
    let mut repeated = RepeatedAnswers::of(&mut conn, run).await?;
    let beside = responses::fingerprints_beside(&mut conn, run.facts.id).await?;
    drop(conn);
    let mut collected = CollectedAnswers::of(run, known);
    collected.beside(beside);
    let mut pages = Pages::of(run);
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
