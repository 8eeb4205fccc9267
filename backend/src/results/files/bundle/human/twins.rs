//! The run's twins as they count beside a sample: by their arm and by what they weigh.

use std::path::Path;

use evidence::aggregates::Counts;
use evidence::compare::{Item, Respondents};
use evidence::upload::Special;

use super::SampleRecord;
use crate::error::{Error, Result};
use crate::results::files::bundle::record;
use crate::results::people::{self, Chosen, Margins, TwinsFile};
use crate::results::run::Run;

/// Twins beside a sample. Samples that say the same of them share it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TwinSide {
    columns: Special,
    margins: Margins,
}

impl TwinSide {
    pub fn of(run: &Run, sample: &SampleRecord) -> Self {
        let margins = Margins(sample.margins.clone());
        let chosen = Chosen {
            arm: sample.arm.clone(),
            twin_weight: sample.twin_weight.clone(),
            margins: margins.clone(),
            ..Chosen::default()
        };
        Self { columns: people::twin_columns(run, &chosen), margins }
    }

    /// Refuses what no comparison could be made with, as the call that compares does.
    pub fn verify(&self, run: &Run, folder: &Path) -> Result<()> {
        self.raked(run, folder)?;
        if self.columns.weight.is_none() {
            return Ok(());
        }
        let weight = Special { weight: self.columns.weight.clone(), ..Special::default() };
        for page in pages(run, folder)? {
            let of_page = people::columns_of(&page?, &weight)?;
            if of_page.weights.is_some_and(|weights| weights.iter().any(|weight| *weight > 0.0)) {
                return Ok(());
            }
        }
        Err(Error::bad_input("twinWeight: no twin has a number above 0 there"))
    }

    /// What margins make of all twins, in their order. `None`: twins are not weighted to margins.
    fn raked(&self, run: &Run, folder: &Path) -> Result<Option<Vec<f64>>> {
        if self.columns.attributes.is_empty() {
            return Ok(None);
        }
        let attributes = Special { attributes: self.columns.attributes.clone(), ..Special::default() };
        let mut all = Respondents::default();
        for page in pages(run, folder)? {
            all.append(people::columns_of(&page?, &attributes)?);
        }
        self.margins.of_twins(&all).map(Some)
    }
}

/// The answers of all twins beside a sample.
pub(super) fn answers(run: &Run, folder: &Path, side: &TwinSide) -> Result<Respondents> {
    let mut all = Respondents::default();
    for page in pages(run, folder)? {
        all.append(people::answers_with(run, &page?, &side.columns)?.1);
    }
    if let Some(weights) = side.raked(run, folder)? {
        all.weights = Some(weights);
    }
    // Groups are made of what a sample chose for them, which is not told here.
    all.attributes.clear();
    Ok(all)
}

/// The twins' answers counted for each of these sides, and the items; some interviews are in memory at a time.
pub(super) fn counts(run: &Run, folder: &Path, sides: &[TwinSide]) -> Result<(Vec<Item>, Vec<Counts>)> {
    let raked = sides.iter().map(|side| side.raked(run, folder)).collect::<Result<Vec<_>>>()?;
    let mut counts = vec![Counts::default(); sides.len()];
    let (mut items, mut before) = (Vec::new(), 0);
    for page in pages(run, folder)? {
        let page = page?;
        let mut rows = 0;
        for ((side, weights), counts) in sides.iter().zip(&raked).zip(&mut counts) {
            let (of_survey, mut twins) = people::answers_with(run, &page, &side.columns)?;
            rows = twins.ids.len();
            if let Some(weights) = weights {
                twins.weights = weights.get(before..before + rows).map(<[f64]>::to_vec);
            }
            counts.add(&of_survey, &twins);
            items = of_survey;
        }
        before += rows;
    }
    Ok((items, counts))
}

/// The twins' answers as files, each of some interviews.
fn pages<'r>(run: &'r Run, folder: &Path) -> Result<impl Iterator<Item = Result<Vec<u8>>> + use<'r>> {
    let interviews = record::interviews(run, folder)?;
    Ok(interviews.map(|page| {
        let mut file = TwinsFile::of(run);
        file.add(run, &page?)?;
        Ok(file.into_bytes())
    }))
}
