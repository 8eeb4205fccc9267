//! People with their twins, or with the twins of their cell, and the twins of others.

use std::collections::{BTreeMap, BTreeSet};

use super::RectifiedRow;
use super::outcomes::{Outcome, categories, chose, is, number};
use crate::compare::{Item, ItemKind, Respondents};
use crate::rectified::{Cells, FigureRefused, PairedSample, Rectified, all_arms, by_cell, split_arms};

/// Rows of people with those of their twins, and rows of the other twins.
pub(super) struct Sides<'a> {
    people: &'a Respondents,
    twins: &'a Respondents,
    /// The row of each person and the row of its twin.
    pairs: Vec<(usize, usize)>,
    others: Vec<usize>,
    /// The cells, if no id is common.
    cells: Option<CellsOfRows>,
    /// The cells' shares in the population.
    shares: Option<&'a BTreeMap<String, f64>>,
    /// The arms that both sides have, by name. Only for pairs.
    pub arms: Vec<String>,
    /// Whether the other twins answered in several arms.
    pub in_all_arms: bool,
}

/// The cell of each row. `None` if an attribute is missing.
struct CellsOfRows {
    people: Vec<Option<String>>,
    twins: Vec<Option<String>>,
}

/// Answers, with weights if there are any.
#[derive(Default)]
struct Values {
    people: Vec<f64>,
    twins: Vec<f64>,
    weights: Option<Vec<f64>>,
    others: Vec<f64>,
    weights_of_others: Option<Vec<f64>>,
}

impl Values {
    fn sample(&self) -> PairedSample<'_> {
        PairedSample {
            people: &self.people,
            twins: &self.twins,
            weights: self.weights.as_deref(),
            others: &self.others,
            weights_of_others: self.weights_of_others.as_deref(),
        }
    }
}

/// Key of a row: its id, and with `with_arms` its arm.
fn key(side: &Respondents, row: usize, with_arms: bool) -> (&str, &str) {
    let arm = side.arms.as_ref().filter(|_| with_arms).and_then(|arms| arms.get(row));
    (side.ids[row].as_str(), arm.map_or("", String::as_str))
}

impl<'a> Sides<'a> {
    pub fn new(
        people: &'a Respondents,
        twins: &'a Respondents,
        attributes: &[String],
        shares: Option<&'a BTreeMap<String, f64>>,
    ) -> Result<Self, FigureRefused> {
        let with_arms = people.arms.is_some() && twins.arms.is_some();
        let known: BTreeSet<&str> = twins.ids.iter().map(String::as_str).collect();
        let asked: BTreeSet<&str> = people.ids.iter().map(String::as_str).filter(|id| known.contains(id)).collect();
        let row_of: BTreeMap<(&str, &str), usize> =
            (0..twins.ids.len()).map(|row| (key(twins, row, with_arms), row)).collect();
        // Respondents with weight 0 are left out.
        let counts = |side: &Respondents, row: &usize| side.weight(*row) > 0.0;
        let pairs = (0..people.ids.len())
            .filter(|row| counts(people, row))
            .filter_map(|row| Some((row, *row_of.get(&key(people, row, with_arms))?)))
            .collect();
        let others: Vec<usize> = (0..twins.ids.len())
            .filter(|row| counts(twins, row) && !asked.contains(twins.ids[*row].as_str()))
            .collect();
        let cells = if !asked.is_empty() {
            if shares.is_some() {
                return Err(FigureRefused::SharesUnused);
            }
            None
        } else if attributes.is_empty() {
            return Err(FigureRefused::NoPairing);
        } else {
            Some(CellsOfRows { people: cells(people, attributes), twins: cells(twins, attributes) })
        };
        let names = |side: &Respondents| side.arms.iter().flatten().cloned().collect::<BTreeSet<_>>();
        let arms =
            if cells.is_none() { names(people).intersection(&names(twins)).cloned().collect() } else { Vec::new() };
        let persons: BTreeSet<&str> = others.iter().map(|row| twins.ids[*row].as_str()).collect();
        let in_all_arms = with_arms && persons.len() < others.len();
        Ok(Self { people, twins, pairs, others, cells, shares, arms, in_all_arms })
    }

    pub fn is_by_id(&self) -> bool {
        self.cells.is_none()
    }

    pub fn rows_of(&self, item: &Item, level: f64) -> Result<Vec<RectifiedRow>, FigureRefused> {
        match &item.kind {
            ItemKind::Single { scale, .. } if scale.is_ordered() && self.arms.len() > 1 => self.arm_rows(item, level),
            ItemKind::Single { scale, .. } if scale.is_ordered() => {
                Ok(vec![RectifiedRow::new(item, None, self.mean(&number(item), level)?)])
            }
            ItemKind::Single { .. } => self.share_rows(item, level),
            ItemKind::Multiple { labels } => (labels.iter().enumerate())
                .map(|(place, label)| {
                    let found = self.mean(&chose(item, place), level)?.of_share();
                    Ok(RectifiedRow::new(item, Some(label), found))
                })
                .collect(),
        }
    }

    /// Returns the values of complete pairs, and of other twins.
    fn values(&self, outcome: &Outcome) -> Values {
        let both = |(person, twin): &(usize, usize)| {
            Some(((outcome(self.people, *person)?, outcome(self.twins, *twin)?), self.people.weight(*person)))
        };
        let (answers, weights): (Vec<(f64, f64)>, Vec<f64>) = self.pairs.iter().filter_map(both).unzip();
        let (people, twins) = answers.into_iter().unzip();
        let (others, weights_of_others) =
            (self.others.iter()).filter_map(|row| Some((outcome(self.twins, *row)?, self.twins.weight(*row)))).unzip();
        Values {
            people,
            twins,
            weights: self.people.weights.is_some().then_some(weights),
            others,
            weights_of_others: self.twins.weights.is_some().then_some(weights_of_others),
        }
    }

    fn mean(&self, outcome: &Outcome, level: f64) -> Result<Rectified, FigureRefused> {
        let Some(CellsOfRows { people: of_people, twins: of_twins }) = &self.cells else {
            return self.values(outcome).sample().mean(level);
        };
        let with_cell = |side: &Respondents, cells: &[Option<String>]| -> (Vec<(f64, f64)>, Vec<String>) {
            let known = cells.iter().enumerate().filter(|(row, _)| side.weight(*row) > 0.0);
            known.filter_map(|(row, cell)| Some(((outcome(side, row)?, side.weight(row)), cell.clone()?))).unzip()
        };
        let (people, cells_of_people) = with_cell(self.people, of_people);
        let (twins, cells_of_twins) = with_cell(self.twins, of_twins);
        let [(people, weights), (twins, weights_of_twins)]: [(Vec<f64>, Vec<f64>); 2] =
            [people, twins].map(|side| side.into_iter().unzip());
        let cells = Cells {
            people: &people,
            cells_of_people: &cells_of_people,
            weights: self.people.weights.as_ref().map(|_| weights.as_slice()),
            twins: &twins,
            cells_of_twins: &cells_of_twins,
            weights_of_twins: self.twins.weights.as_ref().map(|_| weights_of_twins.as_slice()),
            shares: self.shares,
        };
        by_cell(cells, level)
    }

    fn share_rows(&self, item: &Item, level: f64) -> Result<Vec<RectifiedRow>, FigureRefused> {
        let labels = categories(item);
        if self.cells.is_some() {
            let row = |(place, label): (usize, &String)| {
                Ok(RectifiedRow::new(item, Some(label), self.mean(&is(item, place + 1), level)?.of_share()))
            };
            return labels.iter().enumerate().map(row).collect();
        }
        let found = self.values(&number(item)).sample().shares(labels.len(), level)?;
        Ok(labels.iter().zip(found).map(|(label, share)| RectifiedRow::new(item, Some(label), share)).collect())
    }

    /// Estimates each arm less the first: from the twins of that arm, or from twins that answered in both.
    fn arm_rows(&self, item: &Item, level: f64) -> Result<Vec<RectifiedRow>, FigureRefused> {
        let [reference, arms @ ..] = self.arms.as_slice() else { return Ok(Vec::new()) };
        let of_reference = self.of_arm(item, reference);
        let row = |arm: &String| {
            let mut of_arm = self.of_arm(item, arm);
            let found = if self.in_all_arms {
                let mut other_side = self.of_arm(item, reference);
                self.keep_those_of_both(item, [arm, reference], &mut of_arm, &mut other_side);
                all_arms(of_arm.sample(), other_side.sample(), level)?
            } else {
                split_arms(of_arm.sample(), of_reference.sample(), level)?
            };
            Ok(RectifiedRow { arm: Some(arm.clone()), ..RectifiedRow::new(item, None, found) })
        };
        arms.iter().map(row).collect()
    }

    fn of_arm(&self, item: &Item, arm: &str) -> Values {
        self.values(&within(item, arm))
    }

    /// Keeps the other twins that answered in both arms, in the same order.
    fn keep_those_of_both(&self, item: &Item, arms: [&str; 2], first: &mut Values, second: &mut Values) {
        let [of_first, of_second]: [BTreeMap<&str, (f64, f64)>; 2] = arms.map(|arm| {
            let outcome = within(item, arm);
            let answer = |row: &usize| {
                let value = outcome(self.twins, *row)?;
                Some((self.twins.ids[*row].as_str(), (value, self.twins.weight(*row))))
            };
            self.others.iter().filter_map(answer).collect()
        });
        let (mut weights, mut one, mut other) = (Vec::new(), Vec::new(), Vec::new());
        for (id, (value, weight)) in &of_first {
            let Some((of_other, _)) = of_second.get(id) else { continue };
            weights.push(*weight);
            one.push(*value);
            other.push(*of_other);
        }
        let weights = first.weights_of_others.is_some().then_some(weights);
        (second.weights_of_others, first.weights_of_others) = (weights.clone(), weights);
        (first.others, second.others) = (one, other);
    }
}

/// The item's number in one arm.
fn within<'a>(item: &'a Item, arm: &'a str) -> Outcome<'a> {
    Box::new(move |side: &Respondents, row: usize| {
        let own = side.arms.as_ref().and_then(|arms| arms.get(row));
        side.number(&item.name, row).filter(|_| own.is_some_and(|own| own == arm))
    })
}

/// The values of the attributes joined to one text for each row. `None` where one is missing.
fn cells(side: &Respondents, attributes: &[String]) -> Vec<Option<String>> {
    let of = |row: usize| {
        let values = attributes.iter().map(|name| side.attributes.get(name)?.get(row)?.clone());
        values.collect::<Option<Vec<String>>>().map(|values| values.join(" · "))
    };
    (0..side.ids.len()).map(of).collect()
}
