//! Checks a bundle, and builds its files anew.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use export::archive::{self, Opened, list_files};

use super::build::build;
use super::paths::{OF_RUN, OF_STUDY, RAW, STUDY, StoredFile, TWINS};
use super::raw::ReadAgain;
use super::rules::{BuildRules, is_words};
use super::{raw, study_record};
use crate::error::{Error, Result};

/// A built file that differs from the bundle's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub path: String,
    /// The first byte that differs, from 0. `None`: it is there only once.
    pub at: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Paths of files that are not as the manifest says; nothing was built.
    Damaged(Vec<String>),
    /// All files were built and compared. `other`: another version wrote the bundle.
    Built { files: usize, differing: Vec<Difference>, other: Option<OtherVersion>, raw: RawReplies },
}

/// Raw replies that were read again. Without any, a replay begins at the checked answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawReplies {
    pub runs: usize,
    pub answers: u64,
}

/// The version that wrote the bundle, if it is another. Its prose is kept as the bundle has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherVersion {
    pub program: String,
    /// Count of files of prose, of which only the checksums were verified.
    pub words: usize,
}

/// Verifies the checksums of the bundle, builds its files anew in `folder`, and compares them. Bad input: it is no bundle, or
/// one of another format.
pub fn replay(bundle: &Path, folder: &Path) -> Result<Replay> {
    let given = folder.join("given");
    let manifest = match archive::open(bundle, &given)? {
        Opened::Whole(manifest) => manifest,
        Opened::Damaged(damaged) => return Ok(Replay::Damaged(damaged)),
    };
    let rules = BuildRules { program: manifest.origin.program.clone() };
    let is_own = rules.have_words();
    let built = folder.join("built");
    let runs = if given.join(STUDY).is_file() {
        copy(&given, &built, "", &OF_STUDY, is_own)?;
        study_record::read(&built)?.runs.into_iter().map(|run| run.folder).collect()
    } else {
        vec![String::new()]
    };
    let (mut raw, mut differing) = (RawReplies::default(), Vec::new());
    for run in runs {
        copy(&given, &built, &run, &OF_RUN, is_own)?;
        // Another version may check answers differently.
        let read = if is_own { raw::read_again(&built.join(&run))? } else { None };
        let Some(ReadAgain { answers, differs_at }) = read else { continue };
        raw = RawReplies { runs: raw.runs + 1, answers: raw.answers + answers };
        let path = Path::new(&run).join(RAW).display().to_string();
        differing.extend(differs_at.map(|at| Difference { path, at: Some(at) }));
    }
    build(&built, &rules)?;
    let mut words = 0;
    if !is_own {
        for file in manifest.files.iter().filter(|file| is_words(&file.path)) {
            copy_file(&given.join(&file.path), &built.join(&file.path)).map_err(failure)?;
            words += 1;
        }
    }
    let listed: HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let mut paths = list_files(&built).map_err(failure)?;
    // A file that another version does not write is no difference.
    paths.retain(|path| is_own || listed.contains(path.as_str()));
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
    let other = (!is_own).then_some(OtherVersion { program: rules.program, words });
    Ok(Replay::Built { files: paths.len(), differing, other, raw })
}

/// Copies the stored files below this folder. Another version's bundle may have fewer, as long as files can be built.
fn copy(given: &Path, built: &Path, folder: &str, files: &[StoredFile], is_own: bool) -> Result<()> {
    for StoredFile { path, is_always_there } in files {
        let (from, to) = (given.join(folder).join(path), built.join(folder).join(path));
        if !from.is_file() && (!is_always_there || (!is_own && *path == TWINS)) {
            continue;
        }
        copy_file(&from, &to)
            .map_err(|_| Error::bad_input(format!("it has no {}", Path::new(folder).join(path).display())))?;
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(from, to).map(drop)
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
