//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use simulation::encode::Encode;
use simulation::run::Run;
use tokio::sync::mpsc::Receiver;

use super::feed::Feed;
use crate::error::{Error, Result};
use crate::scratch::{self, Scratch};

/// A file in a private folder beside its place, moved there once complete and removed otherwise.
pub(super) struct PartFile {
    pub(super) file: File,
    scratch: Scratch,
    path: PathBuf,
}

/// Its name in the private folder.
const PART: &str = "part";

impl PartFile {
    /// Fails with bad input where the file cannot be created.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if path.is_dir() {
            return Err(Error::bad_input(format!("{}: is a folder", path.display())));
        }
        let failed = |error| Error::bad_input(format!("{}: cannot be written: {error}", path.display()));
        let scratch = Scratch::next_to(path).map_err(failed)?;
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        let file = options.open(scratch.path().join(PART)).map_err(failed)?;
        Ok(Self { file, scratch, path: path.to_owned() })
    }

    /// The private folder, which is also the place for other temporary files.
    pub(super) fn folder(&self) -> &Path {
        self.scratch.path()
    }

    pub(super) fn failure(&self, error: impl std::fmt::Display) -> Error {
        Error::internal(format!("{}: {error}", self.path.display()))
    }

    /// Writes the file to disk and gives it its name.
    pub(super) fn keep(self) -> Result<()> {
        self.persist().map_err(|error| self.failure(error))
    }

    fn persist(&self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(self.scratch.path().join(PART), &self.path)?;
        File::open(scratch::parent(&self.path))?.sync_all()
    }
}

/// Writes a format that consists of a head, rows and a tail.
pub(super) fn write_pages(part: PartFile, mut encode: impl Encode, run: &Run, mut inbox: Receiver<Feed>) -> Result<()> {
    let mut out = BufWriter::new(&part.file);
    let mut bytes = encode.head();
    loop {
        out.write_all(&bytes).map_err(|error| part.failure(error))?;
        bytes.clear();
        match inbox.blocking_recv() {
            Some(Feed::Page(page)) => encode.page(run, &page, &mut bytes)?,
            Some(Feed::End) => break encode.tail(&mut bytes)?,
            None => return Err(part.failure("given up before its end")),
        }
    }
    out.write_all(&bytes).map_err(|error| part.failure(error))?;
    out.flush().map_err(|error| part.failure(error))?;
    drop(out);
    part.keep()
}
