//! Rectified estimates of every item that people and twins answered.

mod drawn;
mod outcomes;
mod sides;

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ASSUMPTION, FigureRefused, MAX_ATTRIBUTES, Rectified};
use crate::compare::{Item, Respondents};
use sides::Sides;

/// One estimate: a mean, a share, or the effect of an arm or an attribute on a mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RectifiedEstimate))]
pub struct RectifiedRow {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub text: String,
    /// The option, if the estimate is a share.
    pub category: Option<String>,
    /// The arm, if the estimate is its mean less that of the reference.
    pub arm: Option<String>,
    /// The level of an attribute, if the estimate is its coefficient against the first level. Only for people drawn
    /// with known probabilities.
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
        schema(example = "rectified estimates need at least 30 people, but only 20 answered")
    )]
    pub reason: String,
}

/// How people and twins are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PairedBy {
    Id,
    /// Common attributes.
    Cells,
}

/// Estimates for the population that the twins stand for, from people and the twins of others: unbiased whatever the
/// twins answer, by prediction-powered inference (PPI++).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = RectifiedEstimates))]
pub struct RectifiedTable {
    /// How people and twins are paired: by `id` or by `cells`; null if they are not, and then `refusal` gives the
    /// reason.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub pairing: Option<PairedBy>,
    pub refusal: Option<String>,
    /// Whether the estimates use the probabilities with which people were drawn (design-based supervised learning)
    /// instead of PPI++.
    pub drawn: bool,
    /// The arm with which every other arm is compared, if there are arms.
    pub reference: Option<String>,
    /// Whether each twin answered in every arm, so that its differences are within twins.
    pub twins_in_all_arms: bool,
    pub estimates: Vec<RectifiedRow>,
    pub refused: Vec<Unrectified>,
    /// Assumption of every estimate.
    pub assumption: &'static str,
}

impl RectifiedTable {
    /// Creates a table without estimates.
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

/// Pairs people and twins by id (and arm), or by the cells of these attributes if no id is common. People with
/// probabilities are those whom the product drew; their attributes are regressors. `shares` are those of the cells in
/// the population, by their values joined by `" · "`, in place of the twins' own. Fails if there is no pairing, or if
/// shares of cells are given but cells do not pair.
pub fn table(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    attributes: &[String],
    shares: Option<&BTreeMap<String, f64>>,
    level: f64,
) -> Result<RectifiedTable, FigureRefused> {
    if attributes.len() > MAX_ATTRIBUTES {
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
