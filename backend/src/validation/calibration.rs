//! Uses the repeats of a validation as forecasts of the people's first answers.

use std::collections::BTreeMap;

use evidence::calibration::{Calibration, calibrate, forecasts, number_forecasts, with_answers_as_forecasts};
use evidence::compare::{Column, Item, Respondents};
use evidence::intervals::Bootstrap;
use evidence::upload::ReservedColumns;
use simulation::items;
use simulation::run::Run;

use super::figures::{item_of_run, items as scored_items};
use super::survey;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::held_out::{self, HeldOutAnswers, HeldOutQuestion};
use crate::models::validations::ValidationStudy;
use crate::models::{personas, simulation_personas, studies};
use crate::results::people;
use crate::results::runs;
use crate::work::blocking;

/// Computes the calibration of the headline's repeats. `None`: there are none, or no twin answered in all of them.
/// Takes seconds, on another thread.
pub async fn calibration(pool: &AsyncPool, study: &ValidationStudy) -> Result<Option<Calibration>> {
    let mut conn = db::checkout(pool).await?;
    let mut repeats = Vec::new();
    for found in studies::runs(&mut conn, study.id).await? {
        let run = runs::load(&conn, found.id).await?;
        if run.parameters.persona_variant.name() == study.headline {
            repeats.push(runs::with_attributes(run, &mut conn).await?);
        }
    }
    drop(conn);
    let gives_forecasts = |run: &Run| repeats.len() > 1 || run.parameters.has_distributions();
    if !repeats.first().is_some_and(gives_forecasts) {
        return Ok(None);
    }
    of_runs(pool, study.set_id, study.quick, &repeats).await
}

/// Computes the calibration of these repeats of a set's held-out questions. Answers of a single run that have no
/// distribution are its forecasts. `None`: no twin answered in all of them.
pub async fn of_runs(pool: &AsyncPool, set_id: i32, quick: bool, repeats: &[Run]) -> Result<Option<Calibration>> {
    let Some(first) = repeats.first() else { return Ok(None) };
    let mut conn = db::checkout(pool).await?;
    let twins = simulation_personas::ids(&mut conn, first.facts.id).await?;
    let questions = held_out::questions(&mut conn, set_id).await?;
    let answers = held_out::answers(&mut conn, set_id, Some(&twins)).await?;
    let facts = personas::facts(&mut conn, set_id, &twins).await?;
    drop(conn);
    let pids = facts.into_iter().map(|(id, pid, _)| (id, pid)).collect();
    let items = items::items(&first.questions);
    let mut sides = Vec::with_capacity(repeats.len());
    for run in repeats {
        let twins = people::twins(pool, run, &ReservedColumns::default()).await?.respondents;
        sides.push(if repeats.len() > 1 { twins } else { with_answers_as_forecasts(&items, twins) });
    }
    blocking(move || count(&questions, quick, &answers, &pids, &items, &sides)).await?
}

fn count(
    questions: &[HeldOutQuestion],
    quick: bool,
    answers: &BTreeMap<i32, HeldOutAnswers>,
    pids: &BTreeMap<i32, String>,
    items: &[Item],
    repeats: &[Respondents],
) -> Result<Option<Calibration>> {
    let tasks = survey::asked(questions, quick);
    let twins: Vec<i32> = answers.keys().copied().collect();
    let scored = scored_items(&tasks, answers, &twins);
    let people = Respondents {
        ids: twins.iter().map(|twin| pids.get(twin).cloned().unwrap_or_default()).collect(),
        answers: scored
            .into_iter()
            .map(|item| (item_of_run(&tasks, &item.name), Column::Numbers(item.first)))
            .collect(),
        ..Respondents::default()
    };
    let refused = |refusal: evidence::compare::CompareRefused| Error::internal(refusal.to_string());
    let repeats: Vec<&Respondents> = repeats.iter().collect();
    let options = forecasts(items, &people, &repeats).map_err(refused)?;
    let numbers = number_forecasts(items, &people, &repeats).map_err(refused)?;
    let bootstrap = Bootstrap::over(options.iter().map(|item| item.forecasts.len()).sum());
    Ok(calibrate(&options, &numbers, people.ids.len(), repeats.len(), bootstrap))
}
