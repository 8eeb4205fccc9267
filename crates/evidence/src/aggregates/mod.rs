//! Counts of answers by item, arm and value, which are published in place of people's rows, and the figures that follow
//! from counts alone.

mod figures;
mod suppression;

use std::collections::{BTreeMap, BTreeSet};

use crate::compare::{Column, Item, ItemKind, Respondents};
use crate::sample::Mean;

pub use figures::figures;
pub use suppression::{MIN_PEOPLE_SHOWN, suppressed};

/// Number of people who gave one answer, or any answer. People with weight 0 are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub n: usize,
    /// Sum of their weights.
    pub weight: f64,
    /// Sum of the squares of their weights.
    pub squares: f64,
}

impl Tally {
    fn add(&mut self, weight: f64) {
        self.n += 1;
        self.weight += weight;
        self.squares += weight * weight;
    }

    /// Kish's effective number of people.
    pub fn n_effective(&self) -> f64 {
        if self.squares > 0.0 { self.weight * self.weight / self.squares } else { 0.0 }
    }
}

/// A number, or the 1-based position of an option. Ordered as numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value(pub f64);

impl Eq for Value {}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The answers of a group to an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tallies {
    /// Everybody who answered.
    pub all: Tally,
    /// The counts of each value. For an item with several answers, those who chose the option.
    pub by_value: BTreeMap<Value, Tally>,
}

impl Tallies {
    /// Returns the mean of the values with its error, like [`Mean::compute`] from single answers. `None` for fewer than 2
    /// people.
    pub fn mean(&self) -> Option<Mean> {
        let Tally { n, weight, .. } = self.all;
        if n < 2 {
            return None;
        }
        let sum = |of: &dyn Fn(f64, &Tally) -> f64| self.by_value.iter().map(|(value, tally)| of(value.0, tally)).sum();
        let mean: f64 = sum(&|value, tally| tally.weight * value) / weight;
        let variance: f64 = sum(&|value, tally| tally.weight * (value - mean).powi(2)) / weight;
        let squares: f64 = sum(&|value, tally| tally.squares * (value - mean).powi(2));
        let correction = n as f64 / (n as f64 - 1.0);
        Some(Mean {
            n,
            n_effective: self.all.n_effective(),
            mean,
            sd: (variance * correction).sqrt(),
            squared_error: squares / (weight * weight) * correction,
        })
    }
}

/// The part of a group's answers that may be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShownTallies {
    pub tallies: Tallies,
    /// Options whose counts are suppressed.
    pub hidden: BTreeSet<Value>,
    /// Whether no value is suppressed.
    pub is_whole: bool,
    /// The mean, if values are suppressed. Otherwise it follows from the values.
    pub mean: Option<Mean>,
}

impl ShownTallies {
    pub fn whole(tallies: Tallies) -> Self {
        Self { tallies, is_whole: true, ..Self::default() }
    }
}

/// Counts by item, then by arm. The empty arm stands for everybody.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts(pub BTreeMap<String, BTreeMap<String, Tallies>>);

impl Counts {
    /// Adds the answers of these respondents.
    pub fn add(&mut self, items: &[Item], of: &Respondents) {
        for item in items {
            let Some(column) = of.answers.get(&item.name) else { continue };
            for row in 0..of.ids.len() {
                let weight = of.weight(row);
                let values = values(&item.kind, column, row);
                let Some(values) = values.filter(|_| weight > 0.0) else { continue };
                let arm = of.arms.as_ref().and_then(|arms| arms.get(row)).filter(|arm| !arm.is_empty());
                let by_arm = self.0.entry(item.name.clone()).or_default();
                for group in [Some(""), arm.map(String::as_str)].into_iter().flatten() {
                    if !by_arm.contains_key(group) {
                        by_arm.insert(group.to_owned(), Tallies::default());
                    }
                    let Some(tallies) = by_arm.get_mut(group) else { continue };
                    tallies.all.add(weight);
                    values.iter().for_each(|value| tallies.by_value.entry(*value).or_default().add(weight));
                }
            }
        }
    }
}

/// Returns the value of an answer, or the options that were chosen. `None` if the item was not answered.
fn values(kind: &ItemKind, column: &Column, row: usize) -> Option<Vec<Value>> {
    match (kind, column) {
        (ItemKind::Single { .. }, Column::Numbers(answers)) => Some(vec![Value((*answers.get(row)?)?)]),
        (ItemKind::Multiple { .. }, Column::Selections(answers)) => {
            let chosen = answers.get(row)?.as_ref()?.iter().enumerate().filter(|(_, chosen)| **chosen);
            Some(chosen.map(|(place, _)| Value(place as f64 + 1.0)).collect())
        }
        _ => None,
    }
}
