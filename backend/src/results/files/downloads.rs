//! Files for browsers that are built before the first byte is sent. They have no name on disk, so nothing is left if the reader
//! goes away; temporary files are in the private folder of the process.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::bundle::tables::statistics;
use bytes::Bytes;
use export::program::Program;
use futures_util::stream::{self, Stream};
use prometheus::IntGauge;
use simulation::run::Run;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::bundle::BundleRequest;
use super::failure::FileFailure;
use super::feed::{Feed, PAGES_AHEAD, feed, pages};
use super::{bundle, workbook};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::results::pages::Pages;
use crate::results::runs;
use crate::work::{WorkError, blocking};

/// Bytes of a file in memory at a time.
const CHUNK_BYTES: usize = 64 * 1024;

/// The downloads in progress.
pub struct Downloads {
    /// Folder for temporary files.
    folder: PathBuf,
    open: IntGauge,
}

/// Counts as a download in progress until it is dropped.
pub struct Download(IntGauge);

impl Drop for Download {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Downloads {
    pub fn new(folder: PathBuf) -> prometheus::Result<Self> {
        let open = IntGauge::new("downloads", "Downloads under way")?;
        Ok(Self { folder, open })
    }

    pub fn begin(&self) -> Download {
        self.open.inc();
        Download(self.open.clone())
    }

    /// Downloads in progress.
    pub fn open(&self) -> i64 {
        self.open.get()
    }

    /// These pages of the run as a complete workbook, with its size in bytes. Dropping the future cancels it.
    pub async fn workbook(&self, pool: &AsyncPool, run: Run, source: Pages) -> Result<(BuiltFile, u64)> {
        self.built(pool, run, source, workbook::build).await
    }

    /// These pages of the run as a file for the statistics program, as [`Self::workbook`] gives one.
    pub async fn statistics(
        &self,
        pool: &AsyncPool,
        run: Run,
        source: Pages,
        program: Program,
    ) -> Result<(BuiltFile, u64)> {
        let build = move |file: &_, folder: &_, run: &_, inbox| {
            statistics::build(program, file, folder, run, pages(inbox)).map(drop)
        };
        self.built(pool, run, source, build).await
    }

    /// A run or a study as a bundle, as [`Self::workbook`] gives one.
    pub async fn bundle(&self, pool: &AsyncPool, request: BundleRequest) -> Result<(BuiltFile, u64)> {
        let download = self.begin();
        let parts = Arc::new(tempfile::tempdir_in(&self.folder).map_err(failure)?);
        bundle::store(pool, request, &parts).await?;
        let folder = self.folder.clone();
        let zipped = blocking(move || {
            // The thread owns the files that it writes, so the download lasts until it has ended.
            let file = tempfile::tempfile_in(folder).map_err(failure)?;
            bundle::zipped(&parts, &file).map_err(failure)?;
            complete(file).map(|(file, size)| (BuiltFile { file, download }, size))
        });
        zipped.await?
    }

    async fn built(
        &self,
        pool: &AsyncPool,
        run: Run,
        source: Pages,
        build: impl FnOnce(&File, &Path, &Run, mpsc::Receiver<Feed>) -> Result<(), FileFailure> + Send + 'static,
    ) -> Result<(BuiltFile, u64)> {
        let download = self.begin();
        let run = Arc::new(runs::with_attributes(run, &mut *db::checkout(pool).await?).await?);
        let (pages, inbox) = mpsc::channel(PAGES_AHEAD);
        let writer = blocking({
            let (run, folder) = (Arc::clone(&run), self.folder.clone());
            // The thread owns the files that it writes, so the download lasts until it has ended.
            move || in_a_file(build, &folder, &run, inbox).map(|(file, size)| (BuiltFile { file, download }, size))
        });
        let fed = feed(pool, source, pages).await;
        // The workbook library panics on a full disk, which makes the join fail.
        let written = writer.await.map_err(|error| match error {
            WorkError::Panicked(_) => failure("could not be written (is the disk full?)"),
            ended => ended.into(),
        })?;
        fed?;
        written
    }
}

fn in_a_file(
    build: impl FnOnce(&File, &Path, &Run, mpsc::Receiver<Feed>) -> Result<(), FileFailure>,
    folder: &Path,
    run: &Run,
    inbox: mpsc::Receiver<Feed>,
) -> Result<(File, u64)> {
    let file = tempfile::tempfile_in(folder).map_err(failure)?;
    build(&file, folder, run, inbox).map_err(|error| error.into_error(failure))?;
    complete(file)
}

/// Rewinds the file. Returns it with its size.
fn complete(mut file: File) -> Result<(File, u64)> {
    let size = file.metadata().map_err(failure)?.len();
    file.rewind().map_err(failure)?;
    Ok((file, size))
}

fn failure(reason: impl std::fmt::Display) -> Error {
    Error::internal(format!("a download: {reason}"))
}

/// A complete file without a name.
pub struct BuiltFile {
    file: File,
    download: Download,
}

impl BuiltFile {
    /// The file from its beginning to its end, in chunks.
    pub fn stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        let Self { file, download } = self;
        stream::try_unfold((file, download), async |(mut file, download)| {
            let (file, chunk) = spawn_blocking(move || {
                let mut chunk = vec![0; CHUNK_BYTES];
                let length = file.read(&mut chunk)?;
                chunk.truncate(length);
                io::Result::Ok((file, chunk))
            })
            .await
            .map_err(io::Error::other)??;
            Ok(if chunk.is_empty() { None } else { Some((Bytes::from(chunk), (file, download))) })
        })
    }
}
