//! The runs of a study beside each other: the same twins, asked otherwise.

use std::collections::BTreeMap;

use evidence::compare::{Column, Comparison, Item, Respondents, Settings, compare};
use evidence::intervals::Bootstrap;
use evidence::reliability::{Repeats, repeats};

use super::people;
use super::run::Run;
use crate::error::{Error, Result};
use crate::models::simulations::{Parameters, StudyCell};

/// Twins times questions times runs that a comparison is made for.
pub const MAX_ANSWERS: i64 = 500_000;

/// How alike the answers to one item are when everything is asked again.
#[derive(Clone, Debug)]
pub struct ItemRepeats {
    pub name: String,
    pub text: String,
    pub repeats: Repeats,
    /// Its answers are options without an order: an ICC of their numbers means nothing.
    pub is_only_named: bool,
}

impl ItemRepeats {
    pub fn icc(&self) -> Option<f64> {
        self.repeats.icc.filter(|_| !self.is_only_named)
    }

    /// Krippendorff's alpha.
    pub fn alpha(&self) -> Option<f64> {
        self.repeats.alpha.filter(|_| self.is_only_named)
    }

    pub fn repeats_for_90(&self) -> Option<usize> {
        self.repeats.repeats_for_90.filter(|_| !self.is_only_named)
    }
}

#[derive(Debug)]
pub struct StudyComparison {
    /// Of each run with the reference; `None` for the reference itself. "People" are the reference's twins.
    pub runs: Vec<Option<Comparison>>,
    /// Of each group of repeats, the items with one value.
    pub repeats: Vec<Vec<ItemRepeats>>,
    pub draws: usize,
}

/// The answers of the twins of several runs of one survey.
#[derive(Debug)]
pub struct AnsweredRuns {
    items: Vec<Item>,
    runs: Vec<Respondents>,
}

impl AnsweredRuns {
    pub fn of(items: Vec<Item>) -> Self {
        Self { items, runs: Vec::new() }
    }

    /// Adds the next run's.
    pub fn add(&mut self, answers: Respondents) {
        self.runs.push(answers);
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The answers of each twin to an item in every run of the group. `None`: the item takes several answers.
    pub fn rows(&self, item: &Item, group: &[usize]) -> Option<Vec<Vec<f64>>> {
        let columns: Vec<&[Option<f64>]> = (group.iter())
            .map(|place| match self.runs.get(*place)?.answers.get(&item.name)? {
                Column::Numbers(values) => Some(values.as_slice()),
                Column::Selections(_) => None,
            })
            .collect::<Option<_>>()?;
        // All runs of a study have the same twins in the same order.
        let twins = columns.iter().map(|values| values.len()).min()?;
        let row = |twin: usize| columns.iter().map(|values| values[twin]).collect::<Option<Vec<f64>>>();
        Some((0..twins).filter_map(row).collect())
    }
}

/// Compares the runs with the `reference` among them. `groups`: runs that differ in nothing but their repeat. Takes seconds:
/// not for a thread that serves requests.
pub fn beside(of: &AnsweredRuns, reference: usize, groups: &[Vec<usize>]) -> Result<StudyComparison> {
    let AnsweredRuns { items, runs: answers } = of;
    let first = answers.get(reference).ok_or_else(|| Error::internal("the study has no such run"))?;
    let draws = people::draws(items.len() * answers.iter().map(|of| of.ids.len()).sum::<usize>());
    let settings =
        Settings { bootstrap: Bootstrap { replicates: draws, ..Bootstrap::default() }, ..Settings::default() };
    let compared = answers.iter().enumerate().map(|(place, of)| match place == reference {
        true => Ok(None),
        false => compare(items, first, of, settings).map(Some).map_err(|refusal| Error::internal(refusal.to_string())),
    });
    let repeated = |group: &Vec<usize>| {
        let of_item = |item: &Item| {
            let rows = of.rows(item, group)?;
            Some(ItemRepeats {
                name: item.name.clone(),
                text: item.text.clone(),
                repeats: repeats(&rows)?,
                is_only_named: item.is_only_named(),
            })
        };
        items.iter().filter_map(of_item).collect()
    };
    Ok(StudyComparison {
        runs: compared.collect::<Result<_>>()?,
        repeats: groups.iter().map(repeated).collect(),
        draws,
    })
}

/// Places of runs that differ in nothing but their repeat, where there are several.
pub fn repeated(runs: &[&Parameters]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, parameters) in runs.iter().enumerate() {
        groups.entry(likeness(parameters, None)).or_default().push(place);
    }
    let mut several: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
    several.sort();
    several
}

/// Places of the run and of those in which its twins stood in the other arms of a node; then the same of each of its repeats.
pub fn repeats_and_arms(runs: &[Run], own: usize, node: Option<&str>) -> Vec<Vec<usize>> {
    let Some(run) = runs.get(own) else { return Vec::new() };
    let repeat = |run: &Run| run.parameters.cell.as_ref().map_or(0, |cell| cell.repeat);
    let alike = likeness(&run.parameters, node);
    let mut groups: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (place, other) in runs.iter().enumerate().filter(|(_, other)| likeness(&other.parameters, node) == alike) {
        groups.entry(repeat(other)).or_default().push(place);
    }
    let first = groups.remove(&repeat(run)).into_iter();
    first.chain(groups.into_values()).collect()
}

/// All parameters of a run but its repeat and, where a node is named, its arm.
fn likeness(parameters: &Parameters, node: Option<&str>) -> String {
    let blank = |cell: StudyCell| {
        let arms = cell.arms.into_iter().filter(|(name, _)| Some(name.as_str()) != node).collect();
        StudyCell { repeat: 0, arms, ..cell }
    };
    let alike = Parameters { cell: parameters.cell.clone().map(blank), ..parameters.clone() };
    serde_json::to_string(&alike).unwrap_or_default()
}
