//! Rectified estimates of every item that people and twins have answered.

mod drawn;
mod outcomes;
mod sides;

use std::collections::BTreeMap;

use serde::Serialize;

use super::figure::note;
use super::{ASSUMPTION, Figure, FigureRefused, Rectified, Shares};
use crate::compare::{Item, Respondents};
use sides::Sides;

/// Attributes that make cells.
pub const MOST_ATTRIBUTES: usize = 3;

/// One estimate: a mean, the share of a category or option, or what an arm or an attribute does to a mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RectifiedRow {
    pub item: String,
    pub text: String,
    /// The category or option whose share it is.
    pub category: Option<String>,
    /// The arm whose mean it is, less that of the reference.
    pub arm: Option<String>,
    /// The level of an attribute whose coefficient it is, against the first level: of people drawn with known probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<String>,
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
    /// Kish's effective number of people, where they have weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kish: Option<f64>,
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
    /// From people who were drawn with known probabilities (DSL) instead of PPI++.
    pub drawn: bool,
    /// Every other arm is compared with it; `None` without arms.
    pub reference: Option<String>,
    /// Whether twins stood in every arm, so that their differences are within twins.
    pub twins_in_all_arms: bool,
    pub rows: Vec<RectifiedRow>,
    pub refused: Vec<Unrectified>,
    pub assumption: &'static str,
}

/// Pairs people and twins by id (and arm), and where no id is common by the cells of these attributes. People with
/// probabilities are those whom the product drew: their attributes are regressors. `shares` are those of the cells in the
/// population, by their values joined by `" · "`; without them the twins' own. Errors: there is no pairing, or shares of cells
/// where cells do not pair.
pub fn table(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    attributes: &[String],
    shares: Option<&BTreeMap<String, f64>>,
    level: f64,
) -> Result<RectifiedTable, FigureRefused> {
    if attributes.len() > MOST_ATTRIBUTES {
        return Err(FigureRefused::TooManyAttributes);
    }
    if people.probabilities.is_some() {
        if shares.is_some() {
            return Err(FigureRefused::SharesUnused);
        }
        return drawn::table(items, people, twins, attributes, level);
    }
    let sides = Sides::new(people, twins, attributes, shares)?;
    let reference = sides.arms.first().filter(|_| sides.arms.len() > 1).cloned();
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    for item in items {
        cancellation::check();
        match sides.rows_of(item, level) {
            Ok(of_item) => rows.extend(of_item),
            Err(refusal) => refused.push(Unrectified { item: item.name.clone(), reason: refusal.to_string() }),
        }
    }
    Ok(RectifiedTable {
        by_id: sides.is_by_id(),
        drawn: false,
        twins_in_all_arms: reference.is_some() && sides.in_all_arms,
        reference,
        rows,
        refused,
        assumption: ASSUMPTION,
    })
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
    fn new(item: &Item, category: Option<&str>, of: Rectified) -> Self {
        Self {
            item: item.name.clone(),
            text: item.text.clone(),
            category: category.map(str::to_owned),
            arm: None,
            term: None,
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
            kish: of.kish,
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
            term: None,
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
            kish: of.kish,
            sentence: of.sentence.clone(),
            note: note(of.n, people),
        }
    }
}
