//! A hash of everything that a database migrated for tests depends on.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Hashes the files of the migrations and of these folders.
pub fn of(folders: impl IntoIterator<Item = PathBuf>) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for step in entries(&root.join("migrations")) {
        files.push(step.join("up.sql"));
    }
    files.extend(folders.into_iter().flat_map(|folder| entries(&folder)));
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(fs::read(&file).unwrap_or_else(|reason| panic!("{}: {reason}", file.display())));
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).unwrap_or_else(|reason| panic!("{}: {reason}", folder.display()));
    entries.map(|entry| entry.expect("it can be listed").path())
}
