//! Questions of a comparison, one by one and together.

use evidence::compare::{ItemComparison, Overall};
use evidence::ecdf::EcdfPoint;
use evidence::intervals::Estimate;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::answers::figures::{Figure, MetricFigure, ends};

/// An option of a question with several answers.
#[derive(Debug, Serialize, ToSchema)]
struct ComparedOption {
    #[schema(example = "Tea")]
    label: String,
    /// Shares, 0 to 1.
    people: f64,
    twins: f64,
    /// Twins' share less people's.
    difference: Figure,
}

/// Shares of answers that are at most so high, 0 to 1.
#[derive(Debug, Serialize, ToSchema)]
struct DistributionPoint {
    value: f64,
    people: f64,
    twins: f64,
}

/// A question, or a row of a matrix.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct ComparedQuestion {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// Answers that count; of pairs both are the number of pairs with both answers.
    n_people: usize,
    n_twins: usize,
    /// Kish's effective number of people: fewer than there are where they have weights.
    n_effective: f64,
    mean_people: Option<f64>,
    mean_twins: Option<f64>,
    /// Twins' mean less people's; null where there are no means.
    difference: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// Whether the means surely differ by less than 0.2 sd of the people.
    equivalent: Option<bool>,
    /// Of the difference of means, or of shares where there are no means.
    p: Option<f64>,
    /// p by Benjamini and Hochberg over the table.
    q: Option<f64>,
    metrics: Vec<MetricFigure>,
    options: Vec<ComparedOption>,
    /// Both empirical distribution functions, of numbers and ordered options: at most 100 points by value. Options count from 1.
    ecdf: Vec<DistributionPoint>,
}

impl From<&ItemComparison> for ComparedQuestion {
    fn from(of: &ItemComparison) -> Self {
        let (low, high) = ends(of.difference.map(|difference| difference.interval));
        let option = |option: &evidence::compare::OptionShare| ComparedOption {
            label: option.label.clone(),
            people: option.people,
            twins: option.twins,
            difference: Figure::from(&option.difference),
        };
        let point = |&EcdfPoint { value, people, twins }: &EcdfPoint| DistributionPoint { value, people, twins };
        Self {
            name: of.name.clone(),
            text: of.text.clone(),
            n_people: of.n_people,
            n_twins: of.n_twins,
            n_effective: of.n_effective,
            mean_people: of.mean_people,
            mean_twins: of.mean_twins,
            difference: of.difference.map(|difference| difference.difference),
            low,
            high,
            equivalent: of.equivalence.as_ref().map(|tested| tested.is_equivalent),
            p: of.p,
            q: of.q,
            metrics: of.metrics.iter().map(MetricFigure::from).collect(),
            options: of.options.iter().map(option).collect(),
            ecdf: of.ecdf.iter().map(point).collect(),
        }
    }
}

/// Over all questions. What needs pairs is null without them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AllItems {
    accuracy: Option<Figure>,
    r: Option<Figure>,
    r_within_person: Option<Figure>,
    r_of_item_means: Option<Figure>,
}

impl From<&Overall> for AllItems {
    fn from(of: &Overall) -> Self {
        let figure = |estimate: &Option<Estimate>| estimate.as_ref().map(Figure::from);
        Self {
            accuracy: figure(&of.accuracy),
            r: figure(&of.r),
            r_within_person: figure(&of.r_within_person),
            r_of_item_means: figure(&of.r_of_item_means),
        }
    }
}
