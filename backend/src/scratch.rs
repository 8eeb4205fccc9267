//! Private folders for temporary files.
//!
//! A folder is locked while its process lives, so that the next process with the same parent folder can find and remove
//! those of killed processes.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

const PREFIX: &str = ".twinlab-";
/// Prefix of a folder that is not locked yet.
const NEW_PREFIX: &str = ".new-twinlab-";

/// A folder for its owner alone, which is removed with its content when this is dropped.
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder in `DATA_DIR/tmp`.
    pub fn in_data_dir(data_dir: &Path) -> io::Result<Self> {
        let parent = data_dir.join("tmp");
        DirBuilder::new().recursive(true).mode(0o700).create(&parent)?;
        Self::open(&parent)
    }

    /// Creates a folder next to the file, so that a complete file can be moved to its place.
    pub fn next_to(file: &Path) -> io::Result<Self> {
        Self::open(parent(file))
    }

    /// Creates a folder in `parent`, after removing those that killed processes left.
    pub fn open(parent: &Path) -> io::Result<Self> {
        remove_abandoned(parent)?;
        let name = Uuid::new_v4().simple().to_string();
        let (new, path) = (parent.join(format!("{NEW_PREFIX}{name}")), parent.join(format!("{PREFIX}{name}")));
        DirBuilder::new().mode(0o700).create(&new)?;
        let lock = File::open(&new)?;
        // If the file system has no locks, nobody can lock the folder, so nobody removes it.
        let _ = lock.try_lock();
        // Renamed only now, because another process may remove an unlocked folder with the final name.
        fs::rename(&new, &path)?;
        Ok(Self { path, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A later process removes what cannot be removed now.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The folder that a file is in.
pub fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Removes the folders whose lock is free.
fn remove_abandoned(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        // A folder that is gone already or belongs to another user is not ours to remove.
        let Ok(folder) = File::open(entry.path()) else { continue };
        if folder.try_lock().is_ok()
            && let Err(reason) = fs::remove_dir_all(entry.path())
        {
            tracing::warn!(folder = %entry.path().display(), %reason, "temporary files of a killed process stay");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_of_dead_processes_are_removed_and_those_of_living_ones_stay() {
        let parent = tempfile::tempdir().expect("a folder");
        let living = Scratch::open(parent.path()).expect("a folder");
        fs::write(living.path().join("answers"), "yes").expect("it can be written");
        let dead = parent.path().join(format!("{PREFIX}dead"));
        fs::create_dir_all(dead.join("replies")).expect("it can be created");
        let other = parent.path().join("results.csv");
        fs::write(&other, "id").expect("it can be written");

        let next = Scratch::next_to(&other).expect("a folder");
        assert!(!dead.exists());
        assert!(living.path().join("answers").exists() && other.exists());
        let mode = fs::metadata(next.path()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        for scratch in [living, next] {
            let path = scratch.path().to_owned();
            drop(scratch);
            assert!(!path.exists());
        }
        assert_eq!(fs::read_dir(parent.path()).expect("it can be listed").count(), 1);
    }
}
