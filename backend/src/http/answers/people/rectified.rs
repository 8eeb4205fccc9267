//! Rectified estimates as the API shows them.

use evidence::rectified::{self, FigureRefused, RectifiedRow, RectifiedTable};
use serde::Serialize;
use utoipa::ToSchema;

/// An estimate with its interval, in the question's unit; a share is 0 to 1.
#[derive(Debug, Serialize, ToSchema)]
struct RectifiedFigure {
    #[schema(example = 3.43)]
    estimate: f64,
    low: f64,
    high: f64,
}

impl From<&rectified::Figure> for RectifiedFigure {
    fn from(rectified::Figure { estimate, interval, .. }: &rectified::Figure) -> Self {
        Self { estimate: *estimate, low: interval.low, high: interval.high }
    }
}

/// A mean, a share, or the difference of an arm, from people, from twins, and from both.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RectifiedEstimate {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// The option whose share it is.
    category: Option<String>,
    /// The arm whose mean it is, less that of the reference.
    arm: Option<String>,
    /// The level of an attribute whose coefficient it is, against the first level: with `probability`.
    #[schema(example = json!(null))]
    term: Option<String>,
    /// People, and twins of others.
    n: usize,
    others: usize,
    people: RectifiedFigure,
    /// As precise as there are many, and as wrong as twins are.
    twins: RectifiedFigure,
    /// The one to report.
    rectified: RectifiedFigure,
    /// The weight of the twins, 0 to 1.
    #[schema(example = 0.86)]
    lambda: f64,
    /// Correlation of people with their own twins, or with the mean of their cell.
    rho: f64,
    /// Width of the rectified interval by that of people alone.
    width_ratio: f64,
    /// People alone who would say as much.
    n_effective: f64,
    /// The same as the correlation alone lets expect.
    n_planned: f64,
    /// Kish's effective number of people; null: all count the same.
    n_weighted: Option<f64>,
    #[schema(example = "The twins add almost nothing here: 200 people alone say as much.")]
    sentence: String,
    note: Option<&'static str>,
}

impl From<&RectifiedRow> for RectifiedEstimate {
    fn from(of: &RectifiedRow) -> Self {
        Self {
            name: of.item.clone(),
            text: of.text.clone(),
            category: of.category.clone(),
            arm: of.arm.clone(),
            term: of.term.clone(),
            n: of.n,
            others: of.others,
            people: RectifiedFigure::from(&of.people),
            twins: RectifiedFigure::from(&of.twins),
            rectified: RectifiedFigure::from(&of.rectified),
            lambda: of.lambda,
            rho: of.rho,
            width_ratio: of.width_ratio,
            n_effective: of.n_effective,
            n_planned: of.n_planned,
            n_weighted: of.kish,
            sentence: of.sentence.clone(),
            note: of.note,
        }
    }
}

/// A question without an estimate.
#[derive(Debug, Serialize, ToSchema)]
struct RefusedEstimate {
    name: String,
    #[schema(example = "20 people are too few to rectify anything: at least 30 are needed")]
    reason: String,
}

/// Estimates for all whom the twins stand for, from the people of the file and the twins of others: right however wrong the
/// twins are, by prediction-powered inference (PPI++).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RectifiedEstimates {
    /// What people and twins are paired by: `id` or `cells`; null: by nothing, and `refusal` says why there are no estimates.
    pairing: Option<&'static str>,
    refusal: Option<String>,
    /// Made by the probabilities with which people were drawn (design-based supervised learning), not by PPI++.
    drawn: bool,
    /// With arms: every other arm is compared with it.
    reference: Option<String>,
    /// Twins stood in every arm: their differences are within twins.
    twins_in_all_arms: bool,
    estimates: Vec<RectifiedEstimate>,
    refused: Vec<RefusedEstimate>,
    /// What every estimate rests on.
    assumption: &'static str,
}

impl From<&Result<RectifiedTable, FigureRefused>> for RectifiedEstimates {
    fn from(of: &Result<RectifiedTable, FigureRefused>) -> Self {
        match of {
            Err(refusal) => Self {
                pairing: None,
                refusal: Some(refusal.to_string()),
                drawn: false,
                reference: None,
                twins_in_all_arms: false,
                estimates: Vec::new(),
                refused: Vec::new(),
                assumption: rectified::ASSUMPTION,
            },
            Ok(RectifiedTable { by_id, drawn, reference, twins_in_all_arms, rows, refused, assumption }) => Self {
                pairing: Some(if *by_id { "id" } else { "cells" }),
                refusal: None,
                drawn: *drawn,
                reference: reference.clone(),
                twins_in_all_arms: *twins_in_all_arms,
                estimates: rows.iter().map(RectifiedEstimate::from).collect(),
                refused: refused
                    .iter()
                    .map(|of| RefusedEstimate { name: of.item.clone(), reason: of.reason.clone() })
                    .collect(),
                assumption,
            },
        }
    }
}
