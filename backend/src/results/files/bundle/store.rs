//! Writes what a bundle stores: everything that its other files are built from.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::json_lines::JsonLines;
use super::plan::PlanRecord;
use super::record::{InterviewRecord, RunRecord};
use super::study::StudyRecord;
use super::{
    IMPORT_REPORT, LEDGER, OF_RUN, PLAN, RAW, REPLIES, RUN, STUDY, SURVEY, TEXTS, TWINS, VALIDATION, calls, human,
    ledger, raw, texts, twins,
};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::{studies, survey_imports};
use crate::results::files::{Failure, Feed, PAGES_AHEAD, feed};
use crate::results::pages::Pages;
use crate::results::run::Run;
use crate::validation::record::ValidationRecords;
use crate::work::blocking;

/// What a bundle is of, by its row id.
#[derive(Clone, Copy, Debug)]
pub enum Bundled {
    Run(i64),
    Study(i64),
}

/// What a bundle is asked to hold.
#[derive(Clone, Copy, Debug)]
pub struct BundleRequest {
    pub of: Bundled,
    pub parts: BundleParts,
}

/// What a bundle has besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct BundleParts {
    /// The exact prompts, with the texts of the twins in them.
    pub with_prompts: bool,
    /// The rows of people's answers that are kept for the survey. Only its author passes them on.
    pub with_people: bool,
}

/// Stores it below `parts`, one run after the other: memory does not grow with runs or answers.
pub async fn store(pool: &AsyncPool, request: BundleRequest, parts: &Arc<TempDir>) -> Result<()> {
    let mut validations = ValidationRecords::default();
    let asked = request.parts;
    match request.of {
        Bundled::Run(id) => {
            let run = load(pool, id).await?;
            store_run(pool, run, parts, parts.path().to_owned(), &mut validations, asked).await
        }
        Bundled::Study(id) => {
            let mut conn = db::checkout(pool).await?;
            let study = studies::find(&mut conn, id).await?;
            let runs = studies::run_ids(&mut conn, id).await?;
            drop(conn);
            let mut record = StudyRecord::of(study);
            for id in runs {
                let run = load(pool, id).await?;
                let folder = parts.path().join(record.add(&run));
                store_run(pool, run, parts, folder, &mut validations, asked).await?;
            }
            json(&parts.path().join(STUDY), &record)
        }
    }
}

async fn load(pool: &AsyncPool, id: i64) -> Result<Run> {
    let mut conn = db::checkout(pool).await?;
    Run::load(&conn, id).await?.with_attributes(&mut conn).await
}

async fn store_run(
    pool: &AsyncPool,
    run: Run,
    parts: &Arc<TempDir>,
    folder: PathBuf,
    validations: &mut ValidationRecords,
    asked: BundleParts,
) -> Result<()> {
    if asked.with_prompts {
        texts::may_be_shown(&run)?;
    }
    if asked.with_people {
        human::must_have_rows(pool, &run).await?;
    }
    for file in OF_RUN {
        let path = folder.join(file.path);
        fs::create_dir_all(path.parent().unwrap_or(&folder)).map_err(|error| failure(file.path, &error))?;
    }
    json(&folder.join(SURVEY), &run.facts.survey_snapshot)?;
    json(&folder.join(RUN), &RunRecord::of(&run))?;
    twins::write(pool, &run, &folder.join(TWINS)).await?;
    calls::write(pool, &run, &folder.join(super::CALLS)).await?;
    if asked.with_prompts {
        texts::write(pool, &run, &folder.join(TEXTS)).await?;
    }
    if let Some(known) = validations.of(pool, &run).await? {
        json(&folder.join(VALIDATION), &known)?;
    }
    let mut conn = db::checkout(pool).await?;
    let plan = PlanRecord::of(&mut conn, run.facts.id).await?;
    let import = survey_imports::of_survey(&mut conn, run.facts.survey_id).await?;
    ledger::write(&conn, &run, &folder.join(LEDGER)).await?;
    drop(conn);
    plan.map_or(Ok(()), |plan| json(&folder.join(PLAN), &plan))?;
    if let Some(import) = import {
        json(&folder.join(IMPORT_REPORT), &import.report)?;
    }
    let (pages, inbox) = mpsc::channel(PAGES_AHEAD);
    let run = Arc::new(run);
    let replies_path = folder.join(REPLIES);
    let writer = blocking({
        let (run, parts) = (Arc::clone(&run), Arc::clone(parts));
        move || {
            // The folder stays while it is written into, whoever has given up meanwhile.
            let _held = parts;
            replies(&replies_path, &run, inbox)
        }
    });
    let fed = feed(pool, Pages::of(&run), pages).await;
    let written = writer.await?;
    fed?;
    written.map_err(|error| failure(REPLIES, &error))?;
    // After the answers: what twins weigh is read from them.
    human::store(pool, &run, &folder, asked.with_people).await?;
    // While a run goes on, no answer is without its reply.
    raw::write(pool, &run, &folder.join(RAW)).await
}

fn replies(path: &Path, run: &Run, mut inbox: mpsc::Receiver<Feed>) -> std::result::Result<(), Failure> {
    let mut replies = JsonLines::create(path)?;
    loop {
        match inbox.blocking_recv() {
            Some(Feed::Page(page)) => {
                for interview in &page {
                    replies.write(&InterviewRecord::of(run, interview))?;
                }
            }
            Some(Feed::End) => return Ok(replies.end()?),
            None => return Err(Failure::GivenUp),
        }
    }
}

pub(super) fn json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| failure(&path.display().to_string(), &error))?;
    fs::write(path, text).map_err(|error| failure(&path.display().to_string(), &error))
}

pub(super) fn failure(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("{name}: {error}"))
}
