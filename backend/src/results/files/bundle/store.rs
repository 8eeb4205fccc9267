//! Writes what a bundle stores: everything that its other files are built from.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::bundle::io::{JsonLines, failure, write_json};
use ::bundle::paths::{
    CALLS, IMPORT_REPORT, LEDGER, OF_RUN, PLAN, RAW, REPLIES, RUN, STUDY, SURVEY, TEXTS, TWINS, VALIDATION,
};
use ::bundle::record::{InterviewRecord, RunRecord};
use ::bundle::study_record::StudyRecord;
use simulation::run::Run;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::request::{BundleParts, BundleRequest, Bundled};
use super::{calls, human, ledger, plan, raw, texts, twins};
use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::models::{studies, survey_imports};
use crate::results::files::failure::FileFailure;
use crate::results::files::feed::{Feed, PAGES_AHEAD, feed};
use crate::results::pages::Pages;
use crate::results::runs;
use crate::validation::record::ValidationRecords;
use crate::work::blocking;

/// Stores the records of a bundle below `parts`, one run after the other: memory does not grow with runs or answers.
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
            let mut record = StudyRecord { study, runs: Vec::new() };
            for id in runs {
                let run = load(pool, id).await?;
                let folder = parts.path().join(record.add(&run));
                store_run(pool, run, parts, folder, &mut validations, asked).await?;
            }
            Ok(write_json(parts.path(), STUDY, &record)?)
        }
    }
}

async fn load(pool: &AsyncPool, id: i64) -> Result<Run> {
    let mut conn = db::checkout(pool).await?;
    runs::with_attributes(runs::load(&conn, id).await?, &mut conn).await
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
    write_json(&folder, SURVEY, &run.facts.survey_snapshot)?;
    write_json(&folder, RUN, &RunRecord::of(&run))?;
    twins::write(pool, &run, &folder.join(TWINS)).await?;
    calls::write(pool, &run, &folder.join(CALLS)).await?;
    if asked.with_prompts {
        texts::write(pool, &run, &folder.join(TEXTS)).await?;
    }
    if let Some(known) = validations.find(pool, &run).await? {
        write_json(&folder, VALIDATION, &known)?;
    }
    let mut conn = db::checkout(pool).await?;
    let plan = plan::record(&mut conn, run.facts.id).await?;
    let import = survey_imports::of_survey(&mut conn, run.facts.survey_id).await?;
    ledger::write(&conn, &run, &folder.join(LEDGER)).await?;
    drop(conn);
    if let Some(plan) = plan {
        write_json(&folder, PLAN, &plan)?;
    }
    if let Some(import) = import {
        write_json(&folder, IMPORT_REPORT, &import.report)?;
    }
    let (pages, inbox) = mpsc::channel(PAGES_AHEAD);
    let run = Arc::new(run);
    let replies_path = folder.join(REPLIES);
    let writer = blocking({
        let (run, parts) = (Arc::clone(&run), Arc::clone(parts));
        move || {
            // Keeps the folder until the file is written, even if the caller has given up.
            let _held = parts;
            replies(&replies_path, &run, inbox)
        }
    });
    let fed = feed(pool, Pages::new(&run), pages).await;
    let written = writer.await?;
    fed?;
    written.map_err(|error| failure(REPLIES, &error))?;
    // After the answers: what twins weigh is read from them.
    human::store(pool, &run, &folder, asked.with_people).await?;
    // While a run goes on, no answer is without its reply.
    raw::write(pool, &run, &folder.join(RAW)).await
}

fn replies(path: &Path, run: &Run, mut inbox: mpsc::Receiver<Feed>) -> std::result::Result<(), FileFailure> {
    let mut replies = JsonLines::create(path)?;
    loop {
        match inbox.blocking_recv() {
            Some(Feed::Page(page)) => {
                for interview in &page {
                    replies.write(&InterviewRecord::of(run, interview))?;
                }
            }
            Some(Feed::End) => return Ok(replies.end()?),
            None => return Err(FileFailure::GivenUp),
        }
    }
}
