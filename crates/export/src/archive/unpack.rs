//! Opens an archive.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Component, Path};

use zip::ZipArchive;

use super::folder::{hash, list_files};
use super::manifest::{FORMAT, ListedFile, MANIFEST, Manifest};
use super::seal::{self, Seal};
use crate::{Error, Result};

/// Size limit of an unpacked file.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Limit of unpacked by packed bytes: no table is above it.
const MAX_RATIO: u64 = 1000;
/// Limit of files. A study of 60 runs with a figure for each of 500 questions has some 32,000.
const MAX_FILES: usize = 50_000;

/// Name of the bytes that belong to no file: headers and the directory.
const THE_ZIP: &str = "the zip itself";

/// An unpacked archive.
pub enum Opened {
    Whole(Manifest),
    /// Paths that are not as they were written; at least one.
    Damaged(Vec<String>),
}

/// Unpacks the archive into `folder`, and verifies its checksums.
pub fn open(bundle: &Path, folder: &Path) -> Result<Opened> {
    let file = File::open(bundle).map_err(|error| Error::Invalid(format!("{}: {error}", bundle.display())))?;
    let seal = seal::verify(&file)?;
    let (manifest, mut damaged) = match unpack(bundle, file, folder) {
        Ok(Unpacked { manifest, unreadable }) => match manifest {
            Some(manifest) => (manifest, unreadable),
            None => return Ok(Opened::Damaged(unreadable)),
        },
        Err(_) if seal == Seal::Broken => return Ok(Opened::Damaged(vec![THE_ZIP.to_owned()])),
        Err(error) => return Err(error),
    };
    let listed: HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let paths = list_files(folder)?;
    damaged.extend(paths.into_iter().filter(|path| path != MANIFEST && !listed.contains(path.as_str())));
    for file in &manifest.files {
        let found = File::open(folder.join(&file.path)).and_then(|mut file| hash(&mut file));
        match found {
            Ok((bytes, sha256)) if (bytes, &sha256) == (file.bytes, &file.sha256) => {}
            _ if damaged.contains(&file.path) => {}
            _ => damaged.push(file.path.clone()),
        }
    }
    if manifest.hash() != manifest.sha256 {
        damaged.push(MANIFEST.to_owned());
    }
    if damaged.is_empty() && seal != Seal::Whole {
        damaged.push(THE_ZIP.to_owned());
    }
    Ok(if damaged.is_empty() { Opened::Whole(manifest) } else { Opened::Damaged(damaged) })
}

struct Unpacked {
    /// `None`: its bytes are damaged.
    manifest: Option<Manifest>,
    /// Files whose packed bytes are damaged.
    unreadable: Vec<String>,
}

/// Unpacks the archive after checking each name, size and ratio.
fn unpack(bundle: &Path, file: File, folder: &Path) -> Result<Unpacked> {
    let refused = |reason: &dyn std::fmt::Display| Error::Invalid(format!("{}: {reason}", bundle.display()));
    let zipped = file.metadata().map_err(|error| refused(&error))?.len().max(1);
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|_| refused(&"it is no bundle"))?;
    if zip.len() > MAX_FILES {
        return Err(refused(&"it has too many files"));
    }
    // All entries are checked before one is unpacked. Entries that share their bytes are small each, but large together.
    let (mut whole, mut names) = (0_u64, BTreeSet::new());
    for place in 0..zip.len() {
        let entry = zip.by_index_raw(place).map_err(|error| refused(&error))?;
        let name = entry.name().map_err(|error| refused(&error))?.into_owned();
        if !is_safe(&name) {
            return Err(refused(&format!("{name:?} is no path within a bundle")));
        }
        let (size, packed) = (entry.size(), entry.compressed_size().max(1));
        whole = whole.saturating_add(size);
        if size > MAX_FILE_BYTES || size / packed > MAX_RATIO || whole / zipped > MAX_RATIO {
            return Err(refused(&format!("{name} is too large unpacked")));
        }
        names.insert(name);
    }
    let folders = |name: &str| name.match_indices('/').map(|(end, _)| name[..end].to_owned()).collect::<Vec<_>>();
    if let Some(name) = names.iter().flat_map(|name| folders(name)).find(|folder| names.contains(folder)) {
        return Err(refused(&format!("{name} is a file and a folder")));
    }
    let mut unreadable = Vec::new();
    for place in 0..zip.len() {
        let mut entry = zip.by_index(place).map_err(|error| refused(&error))?;
        let name = entry.name().map_err(|error| refused(&error))?.into_owned();
        let size = entry.size();
        let to = folder.join(&name);
        fs::create_dir_all(to.parent().unwrap_or(folder))?;
        let mut out = File::create(&to)?;
        // The entry may be larger than the size that it states.
        match io::copy(&mut entry.by_ref().take(size + 1), &mut out) {
            Ok(copied) if copied > size => return Err(refused(&format!("{name} is larger than it says"))),
            Ok(_) => {}
            Err(error) if error.raw_os_error().is_some() => return Err(error.into()),
            Err(_) => unreadable.push(name),
        }
    }
    if unreadable.iter().any(|name| name == MANIFEST) {
        return Ok(Unpacked { manifest: None, unreadable });
    }
    let text = fs::read(folder.join(MANIFEST)).map_err(|_| refused(&"it is no bundle: it has no manifest"))?;
    let version: Format =
        serde_json::from_slice(&text).map_err(|_| refused(&"it is no bundle: its manifest is none"))?;
    if version.format != FORMAT {
        return Err(refused(&format!("its format is {}, and this version reads format {FORMAT}", version.format)));
    }
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| refused(&format!("{MANIFEST}: {error}")))?;
    match manifest.files.iter().find(|ListedFile { path, .. }| !is_safe(path)) {
        Some(file) => Err(refused(&format!("{:?} is no path within a bundle", file.path))),
        None => Ok(Unpacked { manifest: Some(manifest), unreadable }),
    }
}

#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}

/// Whether a file of this name stays in the folder that it is unpacked into.
pub fn is_safe(name: &str) -> bool {
    let parts = || Path::new(name).components();
    !name.is_empty()
        && !name.ends_with('/')
        && !name.contains(['\\', ':'])
        // Names are printed.
        && !name.contains(char::is_control)
        && parts().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn names_that_would_leave_the_folder_are_none_of_a_bundle() {
        for name in ["data/matrix.csv", "README.md", "run/run.json"] {
            assert!(is_safe(name), "{name}");
        }
        for name in ["", "../x", "data/../../x", "/etc/passwd", "data/", "C:\\x", "a\\b", "./x", "a\0b", "a\u{1b}[2J"] {
            assert!(!is_safe(name), "{name}");
        }
    }
}
