//! A run's answers as files. Every request of the run is a row, answered or not.
//!
//! Rows are read a page of personas at a time, so that memory does not grow with the run.

pub mod bundle;
pub mod downloads;
mod failure;
mod feed;
mod file;
mod workbook;

use std::path::Path;
use std::sync::Arc;

use ::bundle::rules::PROGRAM;
use ::bundle::tables::{jsonl, long_csv, long_parquet};
use serde::Deserialize;
use simulation::run::Run;
use tokio::sync::mpsc;
use utoipa::ToSchema;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::results::pages::Pages;
use crate::results::runs;
use feed::{Feed, PAGES_AHEAD, feed};
use file::PartFile;

pub use feed::ExportSummary;

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

    /// The name of the run's downloaded file.
    pub fn file_name(self, run: &Run) -> String {
        match self {
            Self::Xlsx => format!("simulation-{}-responses-complete.xlsx", run.simulation_id),
            _ => run.short_file_name(&format!("responses.{}", self.extension())),
        }
    }
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
    let run = Arc::new(runs::with_attributes(runs::load(&conn, simulation).await?, &mut conn).await?);
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
