//! Checks a bundle, and builds its files anew.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Component, Path};

use zip::ZipArchive;

use super::manifest::{ListedFile, Manifest};
use super::plan::PLAN;
use super::write::{hash, paths};
use super::{FORMAT, MANIFEST, STORED, data, record};
use crate::error::{Error, Result};

/// No file of a bundle is larger unpacked.
const MOST_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Unpacked by packed: what is above this is no table.
const MOST_RATIO: u64 = 1000;
const MOST_FILES: usize = 10_000;

/// A built file that is not the bundle's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub path: String,
    /// The first byte that differs, from 0. `None`: it is there only once.
    pub at: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Files that are not as the manifest says; nothing was built.
    Damaged(Vec<String>),
    /// So many files were built; these are others.
    Built { files: usize, differing: Vec<Difference> },
}

/// Verifies the checksums of the bundle, builds its files anew in `folder`, and compares them. Bad input: it is no bundle, or
/// one of a newer format.
pub fn replay(bundle: &Path, folder: &Path) -> Result<Replay> {
    let given = folder.join("given");
    let manifest = unpack(bundle, &given)?;
    let mut damaged = Vec::new();
    for file in &manifest.files {
        let found = File::open(given.join(&file.path)).and_then(|mut file| hash(&mut file));
        match found {
            Ok((bytes, sha256)) if (bytes, &sha256) == (file.bytes, &file.sha256) => {}
            _ => damaged.push(file.path.clone()),
        }
    }
    if Manifest::of_all(&manifest.files) != manifest.sha256 {
        damaged.push(MANIFEST.to_owned());
    }
    if !damaged.is_empty() {
        return Ok(Replay::Damaged(damaged));
    }
    let built = folder.join("built");
    for path in STORED {
        let to = built.join(path);
        fs::create_dir_all(to.parent().unwrap_or(&built)).map_err(failure)?;
        fs::copy(given.join(path), to).map_err(|_| Error::bad_input(format!("it has no {path}")))?;
    }
    // Only of a run whose study has a frozen plan.
    if given.join(PLAN).is_file() {
        fs::copy(given.join(PLAN), built.join(PLAN)).map_err(failure)?;
    }
    data::build(&record::run(&built)?, &built)?;
    let mut differing = Vec::new();
    let paths = paths(&built).map_err(failure)?;
    for path in &paths {
        let is_listed = manifest.files.iter().any(|file| file.path == *path);
        let at =
            if is_listed { first_difference(&given.join(path), &built.join(path)).map_err(failure)? } else { None };
        if at.is_some() || !is_listed {
            differing.push(Difference { path: path.clone(), at });
        }
    }
    let only_given = manifest.files.iter().filter(|file| !paths.contains(&file.path));
    differing.extend(only_given.map(|file| Difference { path: file.path.clone(), at: None }));
    Ok(Replay::Built { files: paths.len(), differing })
}

/// Unpacks the bundle after a look at each name, size and ratio.
fn unpack(bundle: &Path, folder: &Path) -> Result<Manifest> {
    let refused = |reason: &dyn std::fmt::Display| Error::bad_input(format!("{}: {reason}", bundle.display()));
    let file = File::open(bundle).map_err(|error| refused(&error))?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|_| refused(&"it is no bundle"))?;
    if zip.len() > MOST_FILES {
        return Err(refused(&"it has too many files"));
    }
    for place in 0..zip.len() {
        let mut entry = zip.by_index(place).map_err(|error| refused(&error))?;
        let name = entry.name().map_err(|error| refused(&error))?.into_owned();
        if !is_safe(&name) {
            return Err(refused(&format!("{name:?} is no path within a bundle")));
        }
        let (size, packed) = (entry.size(), entry.compressed_size().max(1));
        if size > MOST_BYTES || size / packed > MOST_RATIO {
            return Err(refused(&format!("{name} is too large unpacked")));
        }
        let to = folder.join(&name);
        fs::create_dir_all(to.parent().unwrap_or(folder)).map_err(failure)?;
        let mut out = File::create(&to).map_err(failure)?;
        // The size that the entry tells may be wrong.
        let copied = io::copy(&mut entry.by_ref().take(size + 1), &mut out);
        let copied = copied.map_err(|error| refused(&format!("{name}: {error}")))?;
        if copied > size {
            return Err(refused(&format!("{name} is larger than it says")));
        }
    }
    let text = fs::read(folder.join(MANIFEST)).map_err(|_| refused(&"it is no bundle: it has no manifest"))?;
    let version: Format =
        serde_json::from_slice(&text).map_err(|_| refused(&"it is no bundle: its manifest is none"))?;
    if version.format > FORMAT {
        let newer = format!("its format is {}, and this version reads up to {FORMAT}", version.format);
        return Err(refused(&newer));
    }
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| refused(&format!("{MANIFEST}: {error}")))?;
    match manifest.files.iter().find(|ListedFile { path, .. }| !is_safe(path)) {
        Some(file) => Err(refused(&format!("{:?} is no path within a bundle", file.path))),
        None => Ok(manifest),
    }
}

#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}

/// Stays in the folder wherever it is unpacked.
fn is_safe(name: &str) -> bool {
    let parts = || Path::new(name).components();
    !name.is_empty()
        && !name.ends_with('/')
        && !name.contains(['\\', '\0', ':'])
        && parts().all(|part| matches!(part, Component::Normal(_)))
}

fn first_difference(one: &Path, other: &Path) -> io::Result<Option<u64>> {
    let (mut one, mut other) = (BufReader::new(File::open(one)?).bytes(), BufReader::new(File::open(other)?).bytes());
    let mut at = 0;
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(None),
            (a, b) if a != b => return Ok(Some(at)),
            _ => at += 1,
        }
    }
}

fn failure(error: io::Error) -> Error {
    Error::internal(format!("a replay: {error}"))
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn names_that_would_leave_the_folder_are_none_of_a_bundle() {
        for name in ["data/matrix.csv", "README.md", "run/run.json"] {
            assert!(is_safe(name), "{name}");
        }
        for name in ["", "../x", "data/../../x", "/etc/passwd", "data/", "C:\\x", "a\\b", "./x", "a\0b"] {
            assert!(!is_safe(name), "{name}");
        }
    }
}
