//! A run of a bundle that is asked once more, and its answers compared with the first ones.

mod agreement;
mod comparison;
mod item;
mod verdict;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use export::archive::{self, Opened};
use random::{generator, shuffle};
use simulation::error::{Error, Result};
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use simulation::studies::repeated;
use survey::assign::Assignment;

pub use crate::reproduce::comparison::{PairedAnswers, PromptCheck, ReproducedRun, Reproduction};
pub use crate::reproduce::item::{IdenticalShare, ReproducedItem};

use super::twin_hashes;
use crate::paths::{OF_RUN, STUDY};
use crate::{record, study_record};

/// A run of an opened bundle, with the twins that are asked again.
pub struct BundledRun {
    pub run: Run,
    folder: PathBuf,
    /// Folders of runs of its study that differ from it only in the repeat.
    repeats: Vec<PathBuf>,
    /// SHA-256 of the texts of all its twins, as hex; empty where the text was not kept.
    texts: BTreeMap<i32, String>,
    /// Ids of the twins that are asked again. `None`: all.
    sample: Option<HashSet<i32>>,
}

impl BundledRun {
    /// Opens the bundle in `folder`. Of a study the run with this number, from 1. Bad input: it is no bundle, is damaged, or
    /// has no such run.
    pub fn open(bundle: &Path, folder: &Path, number: Option<usize>) -> Result<Self> {
        let refused = |reason: String| Error::bad_input(format!("{}: {reason}", bundle.display()));
        if let Opened::Damaged(damaged) = archive::open(bundle, folder)? {
            let first = damaged.first().map_or("", String::as_str);
            return Err(refused(format!("it is damaged: the checksum of {first} is another")));
        }
        let mut repeats = Vec::new();
        let of_run = if folder.join(STUDY).is_file() {
            let study = study_record::read(folder)?;
            let count = study.runs.len();
            let place = number.unwrap_or(1).checked_sub(1).filter(|place| *place < count);
            let place = place.ok_or_else(|| refused(format!("it has runs 1 to {count}")))?;
            let folders: Vec<PathBuf> = study.runs.iter().map(|run| folder.join(&run.folder)).collect();
            let runs = folders.iter().map(|folder| record::run(folder)).collect::<Result<Vec<Run>>>()?;
            let parameters: Vec<_> = runs.iter().map(|run| &run.parameters).collect();
            let group = repeated(&parameters).into_iter().find(|group| group.contains(&place)).unwrap_or_default();
            repeats.extend(group.into_iter().filter(|other| *other != place).map(|other| folders[other].clone()));
            folders[place].clone()
        } else if number.is_some_and(|number| number != 1) {
            return Err(refused("it is the bundle of one run".to_owned()));
        } else {
            folder.to_owned()
        };
        if let Some(missing) = OF_RUN.iter().find(|file| file.is_always_there && !of_run.join(file.path).is_file()) {
            return Err(refused(format!("it has no {}", missing.path)));
        }
        let run = record::run(&of_run)?;
        if run.is_erased() {
            return Err(refused("its survey was erased".to_owned()));
        }
        let texts = twin_hashes::read(&of_run)?;
        Ok(Self { run, folder: of_run, repeats, texts, sample: None })
    }

    /// Asks only so many twins again, drawn by the run's seed. Bad input: it has fewer.
    pub fn sample(&mut self, count: usize) -> Result<()> {
        let mut ids: Vec<i32> = self.texts.keys().copied().collect();
        if count > ids.len() {
            return Err(Error::bad_input(format!("--sample {count}: the run has {} twins", ids.len())));
        }
        shuffle(&mut ids, &mut generator(self.run.parameters.seed, &[b"reproduce"]));
        ids.truncate(count);
        self.sample = Some(ids.into_iter().collect());
        Ok(())
    }

    /// The twins that are asked again, ascending.
    pub fn twins(&self) -> Vec<i32> {
        self.texts.keys().copied().filter(|id| self.is_asked(*id)).collect()
    }

    fn is_asked(&self, id: i32) -> bool {
        self.sample.as_ref().is_none_or(|sample| sample.contains(&id))
    }

    /// Returns the assignments of its twins, in a run with a design.
    pub fn assignments(&self) -> Result<HashMap<i32, Assignment>> {
        let mut assignments = HashMap::new();
        if self.run.plan.is_some() {
            for page in self.interviews()? {
                let dealt = page?.into_iter().filter_map(|of| Some((of.persona.id, of.dealt?.assignment)));
                assignments.extend(dealt);
            }
        }
        Ok(assignments)
    }

    /// The folder of the run's files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// SHA-256 of the twin's text, as hex; empty where the text was not kept. `None`: the run has no such twin.
    pub fn text_hash(&self, id: i32) -> Option<&str> {
        self.texts.get(&id).map(String::as_str)
    }

    /// Reads the interviews of the twins that are asked again, some at a time.
    pub fn interviews(&self) -> Result<impl Iterator<Item = Result<Vec<InterviewOutcomes>>>> {
        let pages = record::interviews(&self.run, &self.folder)?;
        Ok(pages.map(|page| {
            let mut page = page?;
            page.retain(|interview| self.is_asked(interview.persona.id));
            Ok(page)
        }))
    }
}
