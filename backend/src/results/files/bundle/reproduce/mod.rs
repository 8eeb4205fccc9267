//! A run of a bundle that is asked once more: its prompts are rendered anew, and its answers compared with the first ones.

mod agreement;
mod comparison;
mod prompts;
mod verdict;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use export::archive::{self, Opened};
use random::{generator, shuffle};
use survey::assign::Assignment;

pub use comparison::{IdenticalShare, ReproducedItem, ReproducedRun, Reproduction};
pub use prompts::PromptCheck;

use super::paths::{OF_RUN, STUDY, TWINS};
use super::{calls, record, study_record};
use crate::error::{Error, Result};
use crate::llm::prompt::Recipe;
use crate::models::simulations::start::AskedBefore;
use crate::results::pages::InterviewOutcomes;
use crate::results::run::Run;
use crate::results::studies::repeated;

/// A run of an opened bundle, with the twins that are asked again.
pub struct BundledRun {
    pub run: Run,
    folder: PathBuf,
    /// Folders of runs of its study that differ from it only in the repeat.
    repeats: Vec<PathBuf>,
    /// SHA-256 of the texts of all its twins, as hex; empty where the text was not kept.
    texts: BTreeMap<i32, String>,
    recipes: HashMap<String, Recipe>,
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
        let (texts, recipes) = (texts(&of_run)?, calls::read(&of_run)?);
        Ok(Self { run, folder: of_run, repeats, texts, recipes, sample: None })
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

    /// Returns the survey and the assignments that are asked again.
    pub fn asked(&self) -> Result<AskedBefore> {
        let mut assignments: HashMap<i32, Assignment> = HashMap::new();
        if self.run.plan.is_some() {
            for page in self.interviews()? {
                let dealt = page?.into_iter().filter_map(|of| Some((of.persona.id, of.dealt?.assignment)));
                assignments.extend(dealt);
            }
        }
        Ok(AskedBefore { snapshot: self.run.survey.clone(), assignments })
    }

    /// Reads the interviews of the twins that are asked again, some at a time.
    fn interviews(&self) -> Result<impl Iterator<Item = Result<Vec<InterviewOutcomes>>>> {
        let pages = record::interviews(&self.run, &self.folder)?;
        Ok(pages.map(|page| {
            let mut page = page?;
            page.retain(|interview| self.is_asked(interview.persona.id));
            Ok(page)
        }))
    }
}

/// Reads the hashes of `run/twins.csv` by twin.
fn texts(folder: &Path) -> Result<BTreeMap<i32, String>> {
    let wrong = |reason: &dyn std::fmt::Display| Error::bad_input(format!("{TWINS}: {reason}"));
    let file = File::open(folder.join(TWINS)).map_err(|error| wrong(&error))?;
    let mut texts = BTreeMap::new();
    for row in csv::Reader::from_reader(file).records() {
        let row = row.map_err(|error| wrong(&error))?;
        let id = row.get(0).and_then(|id| id.parse().ok());
        let (Some(id), Some(hash)) = (id, row.get(2)) else { return Err(wrong(&"a row is none of a twin")) };
        texts.insert(id, hash.to_owned());
    }
    Ok(texts)
}
