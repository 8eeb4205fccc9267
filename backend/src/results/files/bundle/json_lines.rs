//! A file of JSON Lines that is being written.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

pub(super) struct JsonLines {
    path: PathBuf,
    out: Option<BufWriter<File>>,
}

impl JsonLines {
    /// A file that is there even without a line.
    pub fn create(path: &Path) -> io::Result<Self> {
        let out = BufWriter::new(File::create(path)?);
        Ok(Self { path: path.to_owned(), out: Some(out) })
    }

    /// A file that is created with its first line.
    pub fn where_needed(path: &Path) -> Self {
        Self { path: path.to_owned(), out: None }
    }

    pub fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let out = match &mut self.out {
            Some(out) => out,
            none => none.insert(BufWriter::new(File::create(&self.path)?)),
        };
        serde_json::to_writer(&mut *out, line)?;
        out.write_all(b"\n")
    }

    pub fn end(self) -> io::Result<()> {
        self.out.map_or(Ok(()), |mut out| out.flush())
    }
}
