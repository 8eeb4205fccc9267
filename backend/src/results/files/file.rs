//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tokio::sync::mpsc::Receiver;

use super::Feed;
use crate::error::{Error, Result};
use crate::results::run::Run;
use crate::results::stream::Encode;

/// `NAME.part` beside `NAME`, renamed to it once complete and removed otherwise.
pub(super) struct PartFile {
    pub(super) file: File,
    part: PathBuf,
    path: PathBuf,
    kept: bool,
}

impl PartFile {
    /// Fails with bad input where the file cannot be created.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if path.is_dir() {
            return Err(Error::bad_input(format!("{}: is a folder", path.display())));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&part)
            .map_err(|error| Error::bad_input(format!("{}: cannot be written: {error}", path.display())))?;
        Ok(Self { file, part, path: path.to_owned(), kept: false })
    }

    /// The folder of the file, which is also the place for temporary files.
    pub(super) fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    pub(super) fn failure(&self, error: impl std::fmt::Display) -> Error {
        Error::internal(format!("{}: {error}", self.path.display()))
    }

    /// Writes the file to disk and gives it its name.
    pub(super) fn keep(mut self) -> Result<()> {
        self.persist().map_err(|error| self.failure(error))?;
        self.kept = true;
        Ok(())
    }

    fn persist(&self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.part, &self.path)?;
        File::open(self.folder())?.sync_all()
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.kept {
            // An error leaves only the part file, about which nothing more can be done.
            let _ = fs::remove_file(&self.part);
        }
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
