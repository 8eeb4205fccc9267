//! `DATA_DIR`, and temporary files in it.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::Config;
use crate::error::{Error, Result};
use crate::scratch::Scratch;

/// Creates the directory if it is missing, for its owner alone. Root lets others pass through it without listing it,
/// because its private PostgreSQL runs as another user.
pub fn create_data_dir(path: &Path) -> io::Result<()> {
    let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
    DirBuilder::new().recursive(true).mode(mode).create(path)
}

impl Config {
    /// Creates a folder for the temporary files of this process.
    pub fn scratch(&self) -> Result<Scratch> {
        create_data_dir(&self.data_dir).and_then(|()| Scratch::in_data_dir(&self.data_dir)).map_err(|reason| {
            Error::internal(format!("cannot keep temporary files in DATA_DIR {}: {reason}", self.data_dir.display()))
        })
    }
}
