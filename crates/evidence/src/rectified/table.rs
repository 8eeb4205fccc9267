//! Rectified estimates of every item that people and twins have answered.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{ASSUMPTION, Arm, Cells, Figure, FigureRefused, Rectified, Shares, by_cell, mean, shares, split_arms};
use crate::compare::{Item, ItemKind, Respondents};
use crate::metrics::{Scale, pearson};
use crate::sample::ones;

/// Attributes that make cells.
pub const MOST_ATTRIBUTES: usize = 3;

/// One estimate: a mean, the share of a category or option, or what an arm does to a mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RectifiedRow {
    pub item: String,
    pub text: String,
    /// The category or option whose share it is.
    pub category: Option<String>,
    /// The arm whose mean it is, less that of the reference.
    pub arm: Option<String>,
    /// People, and twins of others.
    pub n: usize,
    pub others: usize,
    pub lambda: f64,
    pub rho: f64,
    pub people: Figure,
    pub twins: Figure,
    pub rectified: Figure,
    /// Plain PPI (λ = 1); `None` of shares that have one λ.
    pub full_weight: Option<Figure>,
    pub width_ratio: f64,
    pub n_effective: f64,
    pub n_planned: f64,
    pub sentence: String,
    pub note: Option<&'static str>,
}

/// An item without an estimate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unrectified {
    pub item: String,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RectifiedTable {
    /// By id, and otherwise by cells of common attributes.
    pub by_id: bool,
    /// Every other arm is compared with it; `None` without arms.
    pub reference: Option<String>,
    pub rows: Vec<RectifiedRow>,
    pub refused: Vec<Unrectified>,
    pub assumption: &'static str,
}

/// Pairs people and twins by id, and where no id is common by the cells of these attributes. Errors: there is no pairing,
/// or people have weights.
pub fn table(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    attributes: &[String],
    level: f64,
) -> Result<RectifiedTable, FigureRefused> {
    if people.weights.is_some() {
        return Err(FigureRefused::Weights);
    }
    if attributes.len() > MOST_ATTRIBUTES {
        return Err(FigureRefused::TooManyAttributes);
    }
    let sides = Sides::new(people, twins, attributes)?;
    let reference = sides.arms.first().filter(|_| sides.arms.len() > 1).cloned();
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    for item in items {
        match sides.rows_of(item, level) {
            Ok(of_item) => rows.extend(of_item),
            Err(refusal) => refused.push(Unrectified { item: item.name.clone(), reason: refusal.to_string() }),
        }
    }
    Ok(RectifiedTable { by_id: sides.is_by_id(), reference, rows, refused, assumption: ASSUMPTION })
}

/// Rows of people with those of their twins, and the rows of other twins.
struct Sides<'a> {
    people: &'a Respondents,
    twins: &'a Respondents,
    /// (row of the person, row of its twin).
    pairs: Vec<(usize, usize)>,
    others: Vec<usize>,
    /// Where ids have nothing in common.
    cells: Option<CellsOfRows>,
    /// That both sides have, by name; of pairs only.
    arms: Vec<String>,
}

/// The cell of each row; `None`: an attribute is missing.
struct CellsOfRows {
    people: Vec<Option<String>>,
    twins: Vec<Option<String>>,
}

/// The value of a respondent's answer in one outcome.
type Outcome<'a> = dyn Fn(&Respondents, usize) -> Option<f64> + 'a;

impl<'a> Sides<'a> {
    fn new(people: &'a Respondents, twins: &'a Respondents, attributes: &[String]) -> Result<Self, FigureRefused> {
        let row_of: BTreeMap<&str, usize> = twins.ids.iter().enumerate().map(|(row, id)| (id.as_str(), row)).collect();
        let with_twin = people.ids.iter().enumerate();
        let pairs: Vec<(usize, usize)> =
            with_twin.filter_map(|(row, id)| Some((row, *row_of.get(id.as_str())?))).collect();
        let taken: BTreeSet<usize> = pairs.iter().map(|(_, twin)| *twin).collect();
        let others = (0..twins.ids.len()).filter(|row| !taken.contains(row)).collect();
        let cells = if !pairs.is_empty() {
            None
        } else if attributes.is_empty() {
            return Err(FigureRefused::NoPairing);
        } else {
            Some(CellsOfRows { people: cells(people, attributes), twins: cells(twins, attributes) })
        };
        let names = |side: &Respondents| side.arms.iter().flatten().cloned().collect::<BTreeSet<_>>();
        let arms =
            if cells.is_none() { names(people).intersection(&names(twins)).cloned().collect() } else { Vec::new() };
        Ok(Self { people, twins, pairs, others, cells, arms })
    }

    fn is_by_id(&self) -> bool {
        self.cells.is_none()
    }

    fn rows_of(&self, item: &Item, level: f64) -> Result<Vec<RectifiedRow>, FigureRefused> {
        let number = |side: &Respondents, row: usize| side.number(&item.name, row);
        match &item.kind {
            ItemKind::Single { scale, .. } if scale.is_ordered() && self.arms.len() > 1 => {
                self.arm_rows(item, &number, level)
            }
            ItemKind::Single { scale, .. } if scale.is_ordered() => {
                Ok(vec![RectifiedRow::new(item, None, self.mean(&number, level)?)])
            }
            ItemKind::Single { scale, labels } => self.share_rows(item, *scale, labels, level),
            ItemKind::Multiple { labels } => (labels.iter().enumerate())
                .map(|(place, label)| {
                    let chosen = |side: &Respondents, row: usize| {
                        let selection = side.selection(&item.name, row)?;
                        Some(f64::from(u8::from(selection.get(place).copied().unwrap_or(false))))
                    };
                    Ok(RectifiedRow::new(item, Some(label), within_shares(self.mean(&chosen, level)?)))
                })
                .collect(),
        }
    }

    /// Values of complete pairs, and of other twins.
    fn values(&self, outcome: &Outcome) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let both =
            |(person, twin): &(usize, usize)| Some((outcome(self.people, *person)?, outcome(self.twins, *twin)?));
        let (people, twins) = self.pairs.iter().filter_map(both).unzip();
        (people, twins, self.others.iter().filter_map(|row| outcome(self.twins, *row)).collect())
    }

    fn mean(&self, outcome: &Outcome, level: f64) -> Result<Rectified, FigureRefused> {
        let Some(CellsOfRows { people: of_people, twins: of_twins }) = &self.cells else {
            let (people, twins, others) = self.values(outcome);
            return mean(&people, &twins, &others, level);
        };
        let with_cell = |side: &Respondents, cells: &[Option<String>]| -> (Vec<f64>, Vec<String>) {
            let known = cells.iter().enumerate().filter_map(|(row, cell)| Some((outcome(side, row)?, cell.clone()?)));
            known.unzip()
        };
        let (people, cells_of_people) = with_cell(self.people, of_people);
        let (twins, cells_of_twins) = with_cell(self.twins, of_twins);
        let cells = Cells {
            people: &people,
            cells_of_people: &cells_of_people,
            twins: &twins,
            cells_of_twins: &cells_of_twins,
            shares: None,
        };
        by_cell(cells, level)
    }

    fn share_rows(
        &self,
        item: &Item,
        scale: Scale,
        labels: &[String],
        level: f64,
    ) -> Result<Vec<RectifiedRow>, FigureRefused> {
        let categories = scale.categories().unwrap_or(labels.len());
        let label = |k: usize| labels.get(k - 1).cloned().unwrap_or_else(|| k.to_string());
        let is = |k: usize| {
            move |side: &Respondents, row: usize| {
                side.number(&item.name, row).map(|value| f64::from(u8::from(value == k as f64)))
            }
        };
        if self.cells.is_some() {
            let row = |k| Ok(RectifiedRow::new(item, Some(&label(k)), within_shares(self.mean(&is(k), level)?)));
            return (1..=categories).map(row).collect();
        }
        let (people, twins, others) = self.values(&|side, row| side.number(&item.name, row));
        let found = shares(&people, &twins, &others, categories, level)?;
        let row = |k: usize| {
            let (y, f, _) = self.values(&is(k));
            let rho = pearson(&y, &f, &ones(y.len())).unwrap_or(0.0);
            RectifiedRow::of_share(item, &label(k), &found, k - 1, rho)
        };
        Ok((1..=categories).map(row).collect())
    }

    /// Each arm less the first, of the twins of that arm.
    fn arm_rows(&self, item: &Item, outcome: &Outcome, level: f64) -> Result<Vec<RectifiedRow>, FigureRefused> {
        let arm_of = |side: &Respondents, row: usize| side.arms.as_ref().and_then(|arms| arms.get(row)).cloned();
        let of_arm = |arm: &str| {
            let within = |side: &Respondents, row: usize| {
                outcome(side, row).filter(|_| arm_of(side, row).as_deref() == Some(arm))
            };
            self.values(&within)
        };
        let [reference, arms @ ..] = self.arms.as_slice() else { return Ok(Vec::new()) };
        let (people, twins, others) = of_arm(reference);
        let row = |arm: &String| {
            let (own_people, own_twins, own_others) = of_arm(arm);
            let first = Arm { people: &own_people, twins: &own_twins };
            let second = Arm { people: &people, twins: &twins };
            let found = split_arms(first, second, (&own_others, &others), level)?;
            Ok(RectifiedRow { arm: Some(arm.clone()), ..RectifiedRow::new(item, None, found) })
        };
        arms.iter().map(row).collect()
    }
}

/// The values of the attributes in one text; `None` where one is missing.
fn cells(side: &Respondents, attributes: &[String]) -> Vec<Option<String>> {
    let of = |row: usize| {
        let values = attributes.iter().map(|name| side.attributes.get(name)?.get(row)?.clone());
        values.collect::<Option<Vec<String>>>().map(|values| values.join(" · "))
    };
    (0..side.ids.len()).map(of).collect()
}

fn within_shares(found: Rectified) -> Rectified {
    let cut = |figure: Figure| figure.within(0.0, 1.0);
    Rectified {
        people: cut(found.people),
        twins: cut(found.twins),
        full_weight: cut(found.full_weight),
        rectified: cut(found.rectified),
        ..found
    }
}

impl RectifiedRow {
    fn new(item: &Item, category: Option<&String>, of: Rectified) -> Self {
        Self {
            item: item.name.clone(),
            text: item.text.clone(),
            category: category.cloned(),
            arm: None,
            n: of.n,
            others: of.others,
            lambda: of.lambda,
            rho: of.rho,
            people: of.people,
            twins: of.twins,
            rectified: of.rectified,
            full_weight: Some(of.full_weight),
            width_ratio: of.width_ratio,
            n_effective: of.n_effective,
            n_planned: of.n_planned,
            sentence: of.sentence,
            note: of.note,
        }
    }

    fn of_share(item: &Item, label: &str, of: &Shares, place: usize, rho: f64) -> Self {
        let (people, twins, rectified) = (of.people[place], of.twins[place], of.rectified[place]);
        Self {
            item: item.name.clone(),
            text: item.text.clone(),
            category: Some(label.to_owned()),
            arm: None,
            n: of.n,
            others: of.others,
            lambda: of.lambda,
            rho,
            people,
            twins,
            rectified,
            full_weight: None,
            width_ratio: if people.variance > 0.0 { (rectified.variance / people.variance).sqrt() } else { 1.0 },
            n_effective: of.n_effective,
            n_planned: super::planned_n(rho, of.n, of.others as f64),
            sentence: of.sentence.clone(),
            note: (of.n < super::APPROXIMATE_BELOW).then_some("approximate: fewer than 100 people"),
        }
    }
}
