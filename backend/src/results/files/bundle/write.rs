//! Writes bundles.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::task::spawn_blocking;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::build::build;
use super::io::{hash, list_files};
use super::manifest::{ListedFile, Manifest};
use super::paths::{MANIFEST, STUDY};
use super::plan::must_be_shown;
use super::request::{BundleParts, BundleRequest, Bundled};
use super::rules::BuildRules;
use super::store::store;
use super::{record, seal, study_record};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::results::files::Failure;
use crate::results::files::file::PartFile;

const COMPRESSION: i64 = 6;

/// Writes the run's bundle to `path`: all of it, or no file at all.
pub async fn write(pool: &AsyncPool, simulation: i64, path: &Path) -> Result<()> {
    write_as(pool, BundleRequest { of: Bundled::Run(simulation), parts: BundleParts::default() }, path).await
}

/// The same of a study and its runs.
pub async fn write_study(pool: &AsyncPool, study: i64, path: &Path) -> Result<()> {
    write_as(pool, BundleRequest { of: Bundled::Study(study), parts: BundleParts::default() }, path).await
}

/// The same with what is asked for. Bad input: prompts that may not be passed on, or rows of people where none are kept.
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

/// Builds everything from what is stored in `parts`, and writes all of it into `file`.
pub(in crate::results::files) fn zipped(parts: &TempDir, file: &File) -> Result<(), Failure> {
    let parts = parts.path();
    // As a replay: what is built comes from what was stored, not from the database.
    build(parts, &BuildRules::of_this_version()).map_err(|error| Failure::Bundle(error.to_string()))?;
    let ids = ids(parts).map_err(|error| Failure::Bundle(error.to_string()))?;
    let manifest = Manifest::new(ids, listed(parts)?);
    let mut zip = ZipWriter::new(BufWriter::new(file));
    zip.set_comment(seal::blank()).map_err(io::Error::from)?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(COMPRESSION))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::from)?;
    fs::write(parts.join(MANIFEST), text)?;
    let mut names: Vec<&str> = manifest.files.iter().map(|file| file.path.as_str()).chain([MANIFEST]).collect();
    names.sort_unstable();
    for name in names {
        cancellation::check();
        zip.start_file(name, options).map_err(io::Error::from)?;
        io::copy(&mut File::open(parts.join(name))?, &mut zip)?;
    }
    zip.finish().map_err(io::Error::from)?.flush()?;
    Ok(seal::close(file)?)
}

/// Of the run, or of the study.
fn ids(parts: &Path) -> Result<[Option<String>; 2]> {
    if parts.join(STUDY).is_file() {
        return Ok([None, Some(study_record::read(parts)?.study_id.to_string())]);
    }
    Ok([Some(record::run(parts)?.simulation_id), None])
}

/// The files below `root`, sorted by path.
fn listed(root: &Path) -> io::Result<Vec<ListedFile>> {
    let of = |path: String| {
        let (bytes, sha256) = hash(&mut File::open(root.join(&path))?)?;
        Ok(ListedFile { path, bytes, sha256 })
    };
    list_files(root)?.into_iter().map(of).collect()
}
