//! Files for a browser. Nothing of one outlives it: it has no name on disk, and whoever goes away midway closes it.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use prometheus::IntGauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;

use super::{PAGES_AHEAD, feed, workbook};
use crate::db::AsyncPool;
use crate::error::{Error, Result};
use crate::results::run::Run;

/// Workbooks that are built at once: each keeps a processor busy.
const WORKBOOKS: usize = 2;
/// Bytes of a file that are in memory at a time.
const CHUNK: usize = 64 * 1024;

/// The downloads under way.
pub struct Downloads {
    open: IntGauge,
    workbooks: Arc<Semaphore>,
}

/// Counts as a download under way until it is dropped.
pub struct Download(IntGauge);

impl Drop for Download {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Downloads {
    pub fn new() -> prometheus::Result<Self> {
        let open = IntGauge::new("downloads", "Downloads under way")?;
        Ok(Self { open, workbooks: Arc::new(Semaphore::new(WORKBOOKS)) })
    }

    pub fn begin(&self) -> Download {
        self.open.inc();
        Download(self.open.clone())
    }

    /// How many are under way.
    pub fn open(&self) -> i64 {
        self.open.get()
    }

    /// The run as a workbook, complete, with its size in bytes. Waits for its turn; dropping the future gives it up.
    pub async fn workbook(&self, pool: &AsyncPool, run: Run) -> Result<(Workbook, u64)> {
        let download = self.begin();
        let turn = Arc::clone(&self.workbooks).acquire_owned().await.map_err(failure)?;
        let run = Arc::new(run);
        let (pages, inbox) = mpsc::channel(PAGES_AHEAD);
        let writer = spawn_blocking({
            let run = Arc::clone(&run);
            // With the thread go the files that it writes, so the download is under way until it has ended.
            move || build(&run, inbox, turn).map(|(file, size)| (Workbook { file, download }, size))
        });
        let fed = feed(pool, &run, pages).await;
        // A full disk makes the workbook library panic: the join is where that arrives.
        let written = writer.await.map_err(|_| failure("could not be written (is the disk full?)"))?;
        fed?;
        written
    }
}

fn build(run: &Run, inbox: mpsc::Receiver<super::Feed>, _turn: OwnedSemaphorePermit) -> Result<(File, u64)> {
    let folder = std::env::temp_dir();
    let mut file = tempfile::tempfile_in(&folder).map_err(failure)?;
    workbook::build(&file, &folder, run, inbox).map_err(failure)?;
    let size = file.metadata().map_err(failure)?.len();
    file.rewind().map_err(failure)?;
    Ok((file, size))
}

fn failure(reason: impl std::fmt::Display) -> Error {
    Error::internal(format!("a workbook: {reason}"))
}

/// A complete workbook in a file without a name.
pub struct Workbook {
    file: File,
    download: Download,
}

impl Workbook {
    /// The file from its beginning to its end, in chunks.
    pub fn stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        let Self { file, download } = self;
        stream::try_unfold((file, download), async |(mut file, download)| {
            let (file, chunk) = spawn_blocking(move || {
                let mut chunk = vec![0; CHUNK];
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
