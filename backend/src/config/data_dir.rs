//! `DATA_DIR` itself.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Creates it where it is missing, for its owner alone. Root lets others pass through, but not look around: its private
/// PostgreSQL runs as another user.
pub fn create_data_dir(path: &Path) -> io::Result<()> {
    let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
    DirBuilder::new().recursive(true).mode(mode).create(path)
}
