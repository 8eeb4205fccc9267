//! Writes bundles.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::bundle::build::build;
use ::bundle::paths::STUDY;
use ::bundle::rules::{BuildRules, PROGRAM};
use ::bundle::{record, study_record};
use export::archive::{ArchiveOrigin, pack};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::plan::must_be_shown;
use super::prompts;
use super::request::{BundleParts, BundleRequest, Bundled};
use super::store::store;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::results::files::failure::FileFailure;
use crate::results::files::file::PartFile;

/// Writes the run's bundle to `path`: all of it, or no file at all.
pub async fn write(pool: &AsyncPool, simulation: i64, path: &Path) -> Result<()> {
    write_as(pool, BundleRequest { of: Bundled::Run(simulation), parts: BundleParts::default() }, path).await
}

/// Writes the bundle of a study and its runs to `path`.
pub async fn write_study(pool: &AsyncPool, study: i64, path: &Path) -> Result<()> {
    write_as(pool, BundleRequest { of: Bundled::Study(study), parts: BundleParts::default() }, path).await
}

/// Writes the requested bundle to `path`. Bad input: prompts that may not be passed on, or rows of people if none are kept.
pub async fn write_as(pool: &AsyncPool, request: BundleRequest, path: &Path) -> Result<()> {
    must_be_shown(&mut *db::checkout(pool).await?, request.of).await?;
    let part = PartFile::create(path)?;
    let parts = Arc::new(tempfile::tempdir_in(part.folder()).map_err(|error| part.failure(error))?);
    store(pool, request, &parts).await?;
    let written = spawn_blocking(move || {
        zipped(&parts, &part.file).map_err(|error| part.failure(error))?;
        part.keep()
    });
    written.await.map_err(|error| Error::internal(format!("{}: {error}", path.display())))?
}

/// Builds everything from what is stored in `parts`, and packs all of it into `file`.
pub(in crate::results::files) fn zipped(parts: &TempDir, file: &File) -> Result<(), FileFailure> {
    let parts = parts.path();
    // As a replay: what is built comes from what was stored, not from the database.
    prompts::build(parts).map_err(|error| FileFailure::Bundle(error.to_string()))?;
    build(parts, &BuildRules::of_this_version()).map_err(|error| FileFailure::Bundle(error.to_string()))?;
    let origin = origin(parts).map_err(|error| FileFailure::Bundle(error.to_string()))?;
    Ok(pack(parts, origin, file)?)
}

/// Names the program and the bundled run or study.
fn origin(parts: &Path) -> Result<ArchiveOrigin> {
    let program = PROGRAM.to_owned();
    if parts.join(STUDY).is_file() {
        let study_id = Some(study_record::read(parts)?.study.study_id.to_string());
        return Ok(ArchiveOrigin { program, simulation_id: None, study_id });
    }
    Ok(ArchiveOrigin { program, simulation_id: Some(record::run(parts)?.simulation_id), study_id: None })
}
