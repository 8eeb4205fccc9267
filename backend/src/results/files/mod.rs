//! A run's answers as files. Every request of the run is a row, answered or not.
//!
//! Rows are read a page of personas at a time, so that memory does not grow with the run.

pub mod bundle;
pub mod downloads;
mod file;
pub mod jsonl;
pub mod long_csv;
pub mod long_parquet;
mod read_me;
pub mod wide;
mod workbook;

use std::path::Path;
use std::sync::Arc;

use rust_xlsxwriter::XlsxError;
use serde::Deserialize;
use tokio::sync::mpsc;
use utoipa::ToSchema;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::results::pages::{InterviewOutcomes, Pages, RequestOutcome};
use crate::results::run::Run;
use file::PartFile;

/// Name and version of the program, as files have it.
pub const PROGRAM: &str = concat!("Digital Twin Lab ", env!("CARGO_PKG_VERSION"));

/// Pages read ahead of the writer: enough to keep both busy.
const PAGES_AHEAD: usize = 2;

/// Format of a file with a row a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Csv,
    Xlsx,
    Jsonl,
    Parquet,
}

impl Format {
    /// Returns the format by the ending of a file's name; other endings are bad input.
    pub fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("xlsx") => Ok(Self::Xlsx),
            Some("jsonl") => Ok(Self::Jsonl),
            Some("parquet") => Ok(Self::Parquet),
            _ => Err(Error::bad_input(format!(
                "{}: the name must end in .csv, .xlsx, .jsonl or .parquet",
                path.display()
            ))),
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

/// Counts of the requests in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    pub answered: u64,
    pub failed: u64,
    /// Requests without an answer or a failure: the run is not over, or was stopped.
    pub open: u64,
    /// Requests that the survey's design did not show.
    pub skipped: u64,
    /// Questions of other arms than the twin's: there are no requests.
    pub not_assigned: u64,
}

impl ExportSummary {
    pub fn rows(&self) -> u64 {
        self.answered + self.failed + self.open + self.skipped + self.not_assigned
    }

    fn count(&mut self, page: &[InterviewOutcomes]) {
        for outcome in page.iter().flat_map(|interview| &interview.outcomes) {
            match outcome {
                RequestOutcome::Answered(..) => self.answered += 1,
                RequestOutcome::Failed(_) => self.failed += 1,
                RequestOutcome::Open => self.open += 1,
                RequestOutcome::Skipped(_) => self.skipped += 1,
                RequestOutcome::NotAssigned => self.not_assigned += 1,
            }
        }
    }
}

/// Why a file was not built.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The content is more than the format holds.
    #[error("{0}")]
    TooLarge(String),
    #[error("given up before its end")]
    GivenUp,
    /// The stored files do not make a bundle.
    #[error("{0}")]
    Bundle(String),
    #[error(transparent)]
    Workbook(#[from] XlsxError),
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Export(#[from] export::Error),
}

impl Failure {
    /// The error for a caller: bad input where the format does not hold so much, else what `internal` makes of it.
    fn into_error(self, internal: impl FnOnce(Self) -> Error) -> Error {
        match self {
            Self::TooLarge(message) | Self::Export(export::Error::TooLarge(message)) => Error::bad_input(message),
            failure => internal(failure),
        }
    }
}

impl From<export::Error> for Error {
    fn from(error: export::Error) -> Self {
        match error {
            export::Error::TooLarge(message) | export::Error::Invalid(message) => Self::bad_input(message),
            error => Self::internal(error.to_string()),
        }
    }
}

/// Messages to the writing thread. A channel that closes without `End` means that reading failed.
enum Feed {
    Page(Vec<InterviewOutcomes>),
    End,
}

/// Checks that a file can be written, before any credits are spent on its content.
pub fn check_destination(path: &Path) -> Result<Format> {
    let format = Format::of(path)?;
    PartFile::create(path).map(|_| format)
}

/// Writes the run's answers to `path`: all of them, or no file at all.
pub async fn write(pool: &AsyncPool, simulation: i64, path: &Path, format: Format) -> Result<ExportSummary> {
    write_with(pool, simulation, path, move |part, run, inbox| match format {
        Format::Csv => file::write_pages(part, long_csv::Encoder::new(run, false), run, inbox),
        Format::Jsonl => file::write_pages(part, jsonl::Encoder, run, inbox),
        Format::Parquet => file::write_pages(part, long_parquet::Encoder::new(run, PROGRAM)?, run, inbox),
        Format::Xlsx => workbook::write(part, run, inbox),
    })
    .await
}

/// Has the run's pages written on a thread of its own.
async fn write_with(
    pool: &AsyncPool,
    simulation: i64,
    path: &Path,
    write: impl FnOnce(PartFile, &Run, mpsc::Receiver<Feed>) -> Result<()> + Send + 'static,
) -> Result<ExportSummary> {
    let mut conn = db::checkout(pool).await?;
    let run = Arc::new(Run::load(&conn, simulation).await?.with_attributes(&mut conn).await?);
    drop(conn);
    let part = PartFile::create(path)?;
    let (pages, inbox) = mpsc::channel(PAGES_AHEAD);
    let writer = tokio::task::spawn_blocking({
        let run = Arc::clone(&run);
        move || write(part, &run, inbox)
    });
    let summary = feed(pool, Pages::new(&run), pages).await;
    // The workbook library panics on a full disk, which makes the join fail.
    let written = writer
        .await
        .map_err(|_| Error::internal(format!("{}: could not be written (is the disk full?)", path.display())))?;
    let summary = summary?;
    written?;
    Ok(summary)
}

/// Sends a run's pages to the writer until it has all of them or has ended with an error. A connection is held for one
/// page at a time.
async fn feed(pool: &AsyncPool, mut source: Pages, pages: mpsc::Sender<Feed>) -> Result<ExportSummary> {
    let mut summary = ExportSummary::default();
    loop {
        let page = source.next_from(pool).await?;
        let Some(page) = page else { break };
        summary.count(&page);
        if pages.send(Feed::Page(page)).await.is_err() {
            return Ok(summary);
        }
    }
    // A writer that has ended returns its own error.
    let _ = pages.send(Feed::End).await;
    Ok(summary)
}
