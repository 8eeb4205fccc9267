//! Checks a bundle, and builds its files anew.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::write::paths;
use super::{OF_RUN, OF_STUDY, STUDY, StoredFile, build, study, unpack};
use crate::error::{Error, Result};

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
    let (manifest, damaged) = unpack::open(bundle, &given)?;
    if !damaged.is_empty() {
        return Ok(Replay::Damaged(damaged));
    }
    let built = folder.join("built");
    if given.join(STUDY).is_file() {
        copy(&given, &built, "", &OF_STUDY)?;
        for run in study::read(&built)?.runs {
            copy(&given, &built, &run.folder, &OF_RUN)?;
        }
    } else {
        copy(&given, &built, "", &OF_RUN)?;
    }
    build(&built)?;
    let mut differing = Vec::new();
    let paths = paths(&built).map_err(failure)?;
    let listed: HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    for path in &paths {
        let is_listed = listed.contains(path.as_str());
        let at =
            if is_listed { first_difference(&given.join(path), &built.join(path)).map_err(failure)? } else { None };
        if at.is_some() || !is_listed {
            differing.push(Difference { path: path.clone(), at });
        }
    }
    let found: HashSet<&str> = paths.iter().map(String::as_str).collect();
    let only_given = manifest.files.iter().filter(|file| !found.contains(file.path.as_str()));
    differing.extend(only_given.map(|file| Difference { path: file.path.clone(), at: None }));
    Ok(Replay::Built { files: paths.len(), differing })
}

/// What is stored, below this folder of both.
fn copy(given: &Path, built: &Path, folder: &str, files: &[StoredFile]) -> Result<()> {
    for StoredFile { path, is_always_there } in files {
        let (from, to) = (given.join(folder).join(path), built.join(folder).join(path));
        if !is_always_there && !from.is_file() {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap_or(built)).map_err(failure)?;
        fs::copy(from, to)
            .map_err(|_| Error::bad_input(format!("it has no {}", Path::new(folder).join(path).display())))?;
    }
    Ok(())
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
