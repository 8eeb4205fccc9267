use serde::Serialize;

use super::{ALMOST_NOTHING, APPROXIMATE_BELOW};
use crate::distributions::normal_quantile;
use crate::intervals::Interval;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FigureRefused {
    #[error(
        "people and twins have no common ids or attributes, so they can be compared but not paired for rectified estimates"
    )]
    NoPairing,
    #[error(
        "people who were drawn with known probabilities have the weights of their twins: choose a weight of the twins, or \
         shares of the population by attributes that both have"
    )]
    Weights,
    #[error(
        "arms cannot be compared if people were drawn with known probabilities: leave out the arm or the probability"
    )]
    ArmsDrawn,
    #[error("cells have at most {} attributes", super::MAX_ATTRIBUTES)]
    TooManyAttributes,
    #[error("rectified estimates need at least {} people, but only {n} answered", super::MIN_PEOPLE)]
    FewPeople { n: usize },
    #[error("there are no twins beyond those of the people asked")]
    NoTwins,
    #[error("no twin is in the cell \"{0}\", in which there are people")]
    EmptyCell(String),
    #[error("the shares of the cells do not add up to 1")]
    SharesNotOne,
    #[error("no twin is in the cell \"{0}\", which has a share: a cell is named by its values, joined by \" · \"")]
    UnknownCell(String),
    #[error("people are in the cell \"{0}\", which has no share above 0")]
    CellWithoutShare(String),
    #[error("shares of cells apply only if cells pair people and twins, but here ids or probabilities do")]
    SharesUnused,
    #[error("a probability of being asked must be above 0 and at most 1")]
    Probability,
    #[error("the spread of twins is not that of people: without a validation of these twins it cannot be used")]
    NotValidated,
    #[error("{0} must be above 0")]
    NotPositive(&'static str),
}

/// An estimate with its normal interval, in the question's unit. A share is 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RectifiedFigure))]
pub struct Figure {
    #[cfg_attr(feature = "openapi", schema(example = 3.43))]
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
    /// Squared standard error.
    #[serde(skip)]
    pub variance: f64,
}

impl Figure {
    pub fn new(estimate: f64, variance: f64, level: f64) -> Self {
        let half = normal_quantile(0.5 + level / 2.0) * variance.max(0.0).sqrt();
        Self { estimate, low: estimate - half, high: estimate + half, variance }
    }

    /// Cuts the interval to these bounds.
    pub(super) fn within(self, low: f64, high: f64) -> Self {
        Self { low: self.low.max(low), high: self.high.min(high), ..self }
    }

    pub fn interval(&self) -> Interval {
        Interval { low: self.low, high: self.high }
    }
}

/// Estimates from people alone, from twins alone and from both, and what the twins are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = RectifiedFigures))]
pub struct Rectified {
    /// Number of people; number of twins of others.
    pub n: usize,
    pub others: usize,
    /// Estimate from people alone (λ = 0).
    pub people: Figure,
    /// Estimate from twins alone. Its interval is narrow if they are many, but it is as biased as the twins are.
    pub twins: Figure,
    /// The estimate to report, with the best λ.
    pub rectified: Figure,
    /// Plain PPI (λ = 1); null for shares, which have one λ.
    pub full_weight: Option<Figure>,
    /// The weight of the twins, 0 to 1.
    #[cfg_attr(feature = "openapi", schema(example = 0.86))]
    pub lambda: f64,
    /// Correlation of people with their own twins, or with the mean of their cell.
    pub rho: f64,
    /// Width of the rectified interval over that of people alone; below 1 the twins help.
    pub width_ratio: f64,
    /// Number of people alone who would be as informative. Shares have one λ, and one number over all of them.
    pub n_effective: f64,
    /// The expected `n_effective` by the correlation alone, `n(n+N)/(n+(1−ρ²)N)`.
    pub n_planned: f64,
    /// Kish's effective number of people; null if all weights are equal.
    pub n_weighted: Option<f64>,
    /// The effect of an arm by each estimator that fits how twins stood in the arms; empty for other estimates.
    pub estimators: Vec<EstimatedEffect>,
    #[cfg_attr(
        feature = "openapi",
        schema(example = "The twins add almost nothing here: 200 people alone are as informative.")
    )]
    pub sentence: String,
    pub note: Option<&'static str>,
}

impl Rectified {
    /// Creates the estimates. `figures` are: people, twins, full weight, rectified.
    pub(super) fn new(n: usize, others: usize, lambda: f64, rho: f64, figures: [Figure; 4]) -> Self {
        let [people, twins, full_weight, rectified] = figures;
        let n_effective = effective(n, people.variance, rectified.variance);
        Self {
            n,
            others,
            lambda,
            rho,
            people,
            twins,
            rectified,
            full_weight: Some(full_weight),
            width_ratio: if people.variance > 0.0 { (rectified.variance / people.variance).sqrt() } else { 1.0 },
            n_effective,
            n_planned: planned_n(rho, n, others as f64),
            n_weighted: None,
            estimators: Vec::new(),
            sentence: sentence(n, n_effective),
            note: note(n, people),
        }
    }

    /// Cuts the intervals of a share to 0 and 1.
    pub(super) fn of_share(self) -> Self {
        let cut = |figure: Figure| figure.within(0.0, 1.0);
        Self {
            people: cut(self.people),
            twins: cut(self.twins),
            rectified: cut(self.rectified),
            full_weight: self.full_weight.map(cut),
            ..self
        }
    }
}

/// Notice to be shown with the intervals, if there is one.
pub(super) fn note(n: usize, people: Figure) -> Option<&'static str> {
    if people.variance <= 0.0 {
        return Some("all people give the same answer, so the interval has no meaning");
    }
    (n < APPROXIMATE_BELOW).then_some("approximate: fewer than 100 people")
}

/// Number of people without twins that is as informative as `n` people with `others` more twins, at correlation `rho`:
/// `n(n+N)/(n+(1−ρ²)N)`.
pub fn planned_n(rho: f64, n: usize, others: f64) -> f64 {
    let n = n as f64;
    n * (n + others) / (n + (1.0 - rho * rho) * others)
}

/// `n · V_people/V_rectified`.
pub(super) fn effective(n: usize, people: f64, rectified: f64) -> f64 {
    if rectified > 0.0 { n as f64 * people / rectified } else { n as f64 }
}

/// The sentence that says how many people the twins are worth.
pub(super) fn sentence(n: usize, n_effective: f64) -> String {
    let extra = n_effective - n as f64;
    if extra < ALMOST_NOTHING * n as f64 {
        return format!("The twins add almost nothing here: {n} people alone are as informative.");
    }
    format!(
        "The twins are worth {extra:.0} extra people: {n} people with twins are as informative as {n_effective:.0} without."
    )
}

/// An estimator of the effect of an arm. All are unbiased whatever the twins answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// The difference in means of people alone (λ = 0).
    DifferenceInMeans,
    /// Generalised regression, plain PPI: twins at full weight (λ = 1) in each arm.
    Greg,
    /// PPI++ with one λ for both arms.
    PowerTuned,
    /// D-T: PPI++ with a λ for each arm.
    DoublyTuned,
    /// DiP: the mean difference within the twins, at full weight.
    DifferenceInPredictions,
    /// DiP++: DiP with one λ for both arms.
    TunedDip,
    /// D-T DiP: DiP with a λ for each arm.
    DoublyTunedDip,
}

impl Estimator {
    /// The short name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::DifferenceInMeans => "difference in means",
            Self::Greg => "GREG",
            Self::PowerTuned => "PPI++",
            Self::DoublyTuned => "D-T",
            Self::DifferenceInPredictions => "DiP",
            Self::TunedDip => "DiP++",
            Self::DoublyTunedDip => "D-T DiP",
        }
    }

    /// A sentence that says when to choose it.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::DifferenceInMeans => {
                "Choose it if twins do not follow people at all, or as the figure that nobody doubts."
            }
            Self::Greg => {
                "Choose it if twins are known to be near exact, or a λ that is estimated is not wanted: with poor twins it is \
                 wider than people alone."
            }
            Self::PowerTuned => {
                "Choose it if people are few and twins are equally good in both arms: one λ is estimated with less noise than two."
            }
            Self::DoublyTuned => {
                "Choose it if each twin stood in one arm: twins may follow people better in one arm than in the other."
            }
            Self::DifferenceInPredictions => {
                "Choose it if each twin stood in every arm and twins are near exact: what a twin gets wrong in both arms cancels."
            }
            Self::TunedDip => {
                "Choose it if each twin stood in every arm: what a twin gets wrong in both arms cancels, and λ keeps poor twins \
                 from widening the interval."
            }
            Self::DoublyTunedDip => {
                "Choose it if each twin stood in every arm, but follows people better in one arm than in the other."
            }
        }
    }
}

/// The effect of an arm by one estimator.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EstimatedEffect {
    pub estimator: Estimator,
    /// The estimator's short name.
    #[cfg_attr(feature = "openapi", schema(example = "D-T"))]
    pub name: &'static str,
    /// When to choose the estimator.
    pub advice: &'static str,
    #[serde(flatten)]
    pub figure: Figure,
    /// The weights of the twins, 0 to 1: of the arm and of the reference.
    #[cfg_attr(feature = "openapi", schema(example = json!([0.42, 0.35])))]
    pub lambdas: [f64; 2],
    /// Number of people alone who would be as informative.
    pub n_effective: f64,
    /// Whether it is the one to report. The design chooses it before any answer is seen, never the width of its interval.
    pub reported: bool,
}
