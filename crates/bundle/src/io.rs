//! Reading and writing of a bundle's files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use simulation::error::{Error, Result};

/// Reads a JSON file of an opened bundle. Bad input: it is missing, or holds something else.
pub fn read_json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<T> {
    let text = fs::read(folder.join(name)).map_err(|error| Error::bad_input(format!("{name}: {error}")))?;
    serde_json::from_slice(&text).map_err(|error| Error::bad_input(format!("{name}: {error}")))
}

pub fn write_json(folder: &Path, name: &str, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| failure(name, &error))?;
    fs::write(folder.join(name), text).map_err(|error| failure(name, &error))
}

/// The error for a file that could not be written.
pub fn failure(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("{name}: {error}"))
}

/// A file of JSON Lines that is being written.
pub struct JsonLines {
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
