//! Writes a run's bundle.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::manifest::{ListedFile, Manifest, hex};
use super::plan::{PlanRecord, must_be_shown};
use super::record::{InterviewRecord, RunRecord};
use super::twins::twins;
use super::{MANIFEST, REPLIES, RUN, STORED, SURVEY, TWINS, data, record};
use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::results::files::file::PartFile;
use crate::results::files::{Failure, Feed, write_with};
use crate::results::run::Run;

const COMPRESSION: i64 = 6;
const CHUNK_BYTES: usize = 64 * 1024;

/// Writes the run's bundle to `path`: all of it, or no file at all.
pub async fn write(pool: &AsyncPool, simulation: i64, path: &Path) -> Result<()> {
    let mut conn = db::checkout(pool).await?;
    must_be_shown(&mut conn, simulation).await?;
    let run = Run::load(&conn, simulation).await?;
    let plan = PlanRecord::of(&mut conn, simulation).await?;
    drop(conn);
    let twins = twins(pool, &run).await?;
    let write = |part: PartFile, run: &Run, inbox| {
        build(&part.file, part.folder(), run, (twins, plan), inbox).map_err(|error| part.failure(error))?;
        part.keep()
    };
    write_with(pool, simulation, path, write).await.map(|_| ())
}

/// Writes it into `file`. `folder` holds the parts meanwhile, `known` is what the bundle
/// says of the twins' texts and the study's plan.
pub(in crate::results::files) fn build(
    file: &File,
    folder: &Path,
    run: &Run,
    known: (File, Option<PlanRecord>),
    inbox: mpsc::Receiver<Feed>,
) -> Result<(), Failure> {
    let parts = tempfile::tempdir_in(folder)?;
    let parts = parts.path();
    store(parts, run, known, inbox)?;
    // From here on as a replay: what is built comes from what was stored, not from the database.
    record::run(parts).and_then(|run| data::build(&run, parts)).map_err(|error| Failure::Bundle(error.to_string()))?;
    let manifest = Manifest::new(&run.simulation_id, listed(parts)?);
    let mut zip = ZipWriter::new(BufWriter::new(file));
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
        zip.start_file(name, options).map_err(io::Error::from)?;
        io::copy(&mut File::open(parts.join(name))?, &mut zip)?;
    }
    zip.finish().map_err(io::Error::from)?.flush()?;
    Ok(())
}

/// Stores what everything else is built from.
fn store(
    parts: &Path,
    run: &Run,
    (mut twins, plan): (File, Option<PlanRecord>),
    mut inbox: mpsc::Receiver<Feed>,
) -> Result<(), Failure> {
    for path in STORED {
        let folder = parts.join(path);
        fs::create_dir_all(folder.parent().unwrap_or(parts))?;
    }
    fs::write(parts.join(SURVEY), serde_json::to_vec_pretty(&run.facts.survey_snapshot).map_err(io::Error::from)?)?;
    fs::write(parts.join(RUN), serde_json::to_vec_pretty(&RunRecord::of(run)).map_err(io::Error::from)?)?;
    io::copy(&mut twins, &mut File::create(parts.join(TWINS))?)?;
    plan.map_or(Ok(()), |plan| plan.store(parts))?;
    let mut replies = BufWriter::new(File::create(parts.join(REPLIES))?);
    loop {
        match inbox.blocking_recv() {
            Some(Feed::Page(page)) => {
                for interview in &page {
                    serde_json::to_writer(&mut replies, &InterviewRecord::of(run, interview))
                        .map_err(io::Error::from)?;
                    replies.write_all(b"\n")?;
                }
            }
            Some(Feed::End) => break,
            None => return Err(Failure::GivenUp),
        }
    }
    Ok(replies.flush()?)
}

/// The files below `root`, sorted by path.
fn listed(root: &Path) -> io::Result<Vec<ListedFile>> {
    let of = |path: String| {
        let (bytes, sha256) = hash(&mut File::open(root.join(&path))?)?;
        Ok(ListedFile { path, bytes, sha256 })
    };
    paths(root)?.into_iter().map(of).collect()
}

/// The paths of the files below `root`, with `/` between their parts, sorted.
pub(super) fn paths(root: &Path) -> io::Result<Vec<String>> {
    let (mut folders, mut paths) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let parts = path.strip_prefix(root).unwrap_or(&path).iter().map(|part| part.to_string_lossy());
            paths.push(parts.collect::<Vec<_>>().join("/"));
        }
    }
    paths.sort();
    Ok(paths)
}

/// The size and SHA-256 of what is left to read.
pub(super) fn hash(reader: &mut impl Read) -> io::Result<(u64, String)> {
    let (mut hash, mut size, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK_BYTES]);
    loop {
        let read = reader.read(&mut chunk)?;
        if read == 0 {
            return Ok((size, hex(&hash.finalize())));
        }
        hash.update(&chunk[..read]);
        size += read as u64;
    }
}
