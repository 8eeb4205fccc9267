//! Rectified estimates of every item that people and twins have answered.

mod drawn;
mod outcomes;
mod sides;

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ASSUMPTION, FigureRefused, Rectified};
use crate::compare::{Item, Respondents};
use sides::Sides;

/// Attributes that make cells.
pub const MOST_ATTRIBUTES: usize = 3;

/// One estimate: a mean, a share, or what an arm or an attribute does to a mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RectifiedEstimate))]
pub struct RectifiedRow {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub text: String,
    /// The option whose share it is.
    pub category: Option<String>,
    /// The arm whose mean it is, less that of the reference.
    pub arm: Option<String>,
    /// The level of an attribute whose coefficient it is, against the first level: of people drawn with known probabilities.
    #[cfg_attr(feature = "openapi", schema(example = json!(null)))]
    pub term: Option<String>,
    #[serde(flatten)]
    pub figures: Rectified,
}

/// A question without an estimate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RefusedEstimate))]
pub struct Unrectified {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    #[cfg_attr(
        feature = "openapi",
        schema(example = "20 people are too few to rectify anything: at least 30 are needed")
    )]
    pub reason: String,
}

/// Key by which people and twins are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PairedBy {
    Id,
    /// Common attributes.
    Cells,
}

/// Estimates for all whom the twins stand for, from people and the twins of others: right however wrong the twins are, by
/// prediction-powered inference (PPI++).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = RectifiedEstimates))]
pub struct RectifiedTable {
    /// Key by which people and twins are paired: `id` or `cells`; null: there is none, and `refusal` says why there are no estimates.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub pairing: Option<PairedBy>,
    pub refusal: Option<String>,
    /// Made by the probabilities with which people were drawn (design-based supervised learning), not by PPI++.
    pub drawn: bool,
    /// With arms: every other arm is compared with it.
    pub reference: Option<String>,
    /// Twins stood in every arm: their differences are within twins.
    pub twins_in_all_arms: bool,
    pub estimates: Vec<RectifiedRow>,
    pub refused: Vec<Unrectified>,
    /// Assumption of every estimate.
    pub assumption: &'static str,
}

impl RectifiedTable {
    /// Without estimates.
    pub fn refused(refusal: &FigureRefused) -> Self {
        Self {
            pairing: None,
            refusal: Some(refusal.to_string()),
            drawn: false,
            reference: None,
            twins_in_all_arms: false,
            estimates: Vec::new(),
            refused: Vec::new(),
            assumption: ASSUMPTION,
        }
    }
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
    let (mut estimates, mut refused) = (Vec::new(), Vec::new());
    for item in items {
        cancellation::check();
        match sides.rows_of(item, level) {
            Ok(of_item) => estimates.extend(of_item),
            Err(refusal) => refused.push(Unrectified { name: item.name.clone(), reason: refusal.to_string() }),
        }
    }
    Ok(RectifiedTable {
        pairing: Some(if sides.is_by_id() { PairedBy::Id } else { PairedBy::Cells }),
        refusal: None,
        drawn: false,
        twins_in_all_arms: reference.is_some() && sides.in_all_arms,
        reference,
        estimates,
        refused,
        assumption: ASSUMPTION,
    })
}

impl RectifiedRow {
    fn new(item: &Item, category: Option<&str>, figures: Rectified) -> Self {
        Self {
            name: item.name.clone(),
            text: item.text.clone(),
            category: category.map(str::to_owned),
            arm: None,
            term: None,
            figures,
        }
    }
}
