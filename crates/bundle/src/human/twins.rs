//! The run's twins as they are compared with a sample: their arms and weights.

use std::collections::BTreeMap;
use std::path::Path;

use evidence::aggregates::Counts;
use evidence::compare::{Item, Respondents};
use evidence::options::{ComparisonOptions, Shares};
use evidence::people::margin_weights;
use evidence::upload::ReservedColumns;
use simulation::error::{Error, Result};
use simulation::run::Run;
use simulation::twins::{TwinAnswers, twin_columns};

use crate::human::samples::SampleRecord;
use crate::record;

/// Columns and margins of the twins in a comparison. Samples with the same ones share the counts.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinSide {
    columns: ReservedColumns,
    margins: BTreeMap<String, Shares>,
}

impl TwinSide {
    pub fn of(run: &Run, sample: &SampleRecord) -> Self {
        let options = ComparisonOptions {
            arm: sample.arm.clone(),
            twin_weight: sample.twin_weight.clone(),
            margins: sample.margins.clone(),
            ..ComparisonOptions::default()
        };
        Self { columns: twin_columns(run, &options), margins: options.margins }
    }

    /// Refuses what no comparison could be made with, as the call that compares does.
    pub fn verify(&self, run: &Run, folder: &Path) -> Result<()> {
        self.raked(run, folder)?;
        if self.columns.weight.is_none() {
            return Ok(());
        }
        let weight = ReservedColumns { weight: self.columns.weight.clone(), ..ReservedColumns::default() };
        let weights = columns(run, folder, &weight)?.weights.unwrap_or_default();
        match weights.iter().any(|weight| *weight > 0.0) {
            true => Ok(()),
            false => Err(Error::bad_input("twinWeight: no twin has a number above 0 there")),
        }
    }

    /// Weights all twins, in their order, to the margins. `None`: twins are not weighted to margins.
    fn raked(&self, run: &Run, folder: &Path) -> Result<Option<Vec<f64>>> {
        if self.columns.attributes.is_empty() {
            return Ok(None);
        }
        let attributes = ReservedColumns { attributes: self.columns.attributes.clone(), ..ReservedColumns::default() };
        let weights = margin_weights(&self.margins, "twins", &columns(run, folder, &attributes)?);
        weights.map(|(weights, _)| Some(weights)).map_err(Error::bad_input)
    }
}

/// These columns of all twins, without answers.
fn columns(run: &Run, folder: &Path, reserved: &ReservedColumns) -> Result<Respondents> {
    let mut twins = TwinAnswers::without_answers(run, reserved);
    for page in record::interviews(run, folder)? {
        twins.add(run, &page?);
    }
    read(&mut twins)
}

/// Refuses a column that the run does not have.
fn read(twins: &mut TwinAnswers) -> Result<Respondents> {
    let reading = twins.take();
    match reading.refusal() {
        Some(reason) => Err(Error::bad_input(format!("twins: {reason}"))),
        None => Ok(reading.respondents),
    }
}

/// The answers of all twins beside a sample.
pub fn answers(run: &Run, folder: &Path, side: &TwinSide) -> Result<Respondents> {
    let mut all = record::twins(run, folder, &side.columns)?.respondents;
    if let Some(weights) = side.raked(run, folder)? {
        all.weights = Some(weights);
    }
    // The sample's choice of groups is not in the bundle, so no groups are made.
    all.attributes.clear();
    Ok(all)
}

/// The twins' answers to these items, counted for each of these sides; some interviews are in memory at a time.
pub fn counts(run: &Run, folder: &Path, items: &[Item], sides: &[TwinSide]) -> Result<Vec<Counts>> {
    let raked = sides.iter().map(|side| side.raked(run, folder)).collect::<Result<Vec<_>>>()?;
    let mut counts = vec![Counts::default(); sides.len()];
    let mut answers: Vec<TwinAnswers> = sides.iter().map(|side| TwinAnswers::new(run, &side.columns)).collect();
    let mut before = 0;
    for page in record::interviews(run, folder)? {
        let page = page?;
        let mut rows = 0;
        for ((answers, weights), counts) in answers.iter_mut().zip(&raked).zip(&mut counts) {
            answers.add(run, &page);
            let mut twins = read(answers)?;
            rows = twins.ids.len();
            if let Some(weights) = weights {
                twins.weights = weights.get(before..before + rows).map(<[f64]>::to_vec);
            }
            counts.add(items, &twins);
        }
        before += rows;
    }
    Ok(counts)
}
