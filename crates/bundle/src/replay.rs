//! Checks a bundle, and builds its files anew.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use export::archive::{self, Manifest, Opened, list_files};
use simulation::error::{Error, Result};

use super::build::build;
use crate::paths::{OF_RUN, OF_STUDY, RAW, STUDY, StoredFile, TWINS};
use crate::rules::{BuildRules, is_words};
use crate::study_record;

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

/// Result of reading the raw replies of a run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAgain {
    /// Count of answers that were compared with the checked ones.
    pub answers: u64,
    /// Position in the file of the first reply that gives another answer or is missing.
    pub differs_at: Option<u64>,
}

/// A bundle whose checksums hold, with a copy of what it stores, from which its files are built.
pub struct StoredBundle {
    given: PathBuf,
    built: PathBuf,
    manifest: Manifest,
    rules: BuildRules,
    runs: Vec<String>,
}

/// A bundle that was opened.
pub enum OpenedBundle {
    Whole(StoredBundle),
    /// Paths of files that are not as the manifest says.
    Damaged(Vec<String>),
}

/// Opens the bundle in `folder`, verifies its checksums, and copies what it stores. Bad input: it is no bundle, or one of
/// another format.
pub fn open(bundle: &Path, folder: &Path) -> Result<OpenedBundle> {
    let (given, built) = (folder.join("given"), folder.join("built"));
    let manifest = match archive::open(bundle, &given)? {
        Opened::Whole(manifest) => manifest,
        Opened::Damaged(damaged) => return Ok(OpenedBundle::Damaged(damaged)),
    };
    let rules = BuildRules { program: manifest.origin.program.clone() };
    let is_own = rules.have_words();
    if given.join(STUDY).is_file() {
        copy(&given, &built, "", &OF_STUDY, is_own)?;
    }
    let runs = study_record::run_folders(&built)?;
    for run in &runs {
        copy(&given, &built, run, &OF_RUN, is_own)?;
    }
    Ok(OpenedBundle::Whole(StoredBundle { given, built, manifest, rules, runs }))
}

impl StoredBundle {
    /// Whether this version of the program wrote the bundle. Another may check answers and word prompts differently.
    pub fn is_own(&self) -> bool {
        self.rules.have_words()
    }

    /// The folder with the copy of what is stored.
    pub fn root(&self) -> &Path {
        &self.built
    }

    /// The folders of its runs, below the root.
    pub fn runs(&self) -> &[String] {
        &self.runs
    }

    /// Builds the files anew, and compares them. `read_again` has the runs whose raw replies were read again.
    pub fn compare(self, read_again: &[(&str, ReadAgain)]) -> Result<Replay> {
        let Self { given, built, manifest, rules, .. } = self;
        let is_own = rules.have_words();
        let (mut raw, mut differing) = (RawReplies::default(), Vec::new());
        for (run, ReadAgain { answers, differs_at }) in read_again {
            raw = RawReplies { runs: raw.runs + 1, answers: raw.answers + answers };
            let path = Path::new(run).join(RAW).display().to_string();
            differing.extend(differs_at.map(|at| Difference { path, at: Some(at) }));
        }
        build(&built, &rules)?;
        let words = if is_own { 0 } else { copy_words(&given, &built, &manifest)? };
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
}

/// Copies the prose of another version's bundle. Returns the number of files.
fn copy_words(given: &Path, built: &Path, manifest: &Manifest) -> Result<usize> {
    let words = manifest.files.iter().filter(|file| is_words(&file.path));
    let copied = words.map(|file| copy_file(&given.join(&file.path), &built.join(&file.path)).map_err(failure));
    Ok(copied.collect::<Result<Vec<()>>>()?.len())
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
