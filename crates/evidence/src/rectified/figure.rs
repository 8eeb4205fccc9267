use serde::Serialize;

use super::{ALMOST_NOTHING, APPROXIMATE_BELOW, ASSUMPTION};
use crate::distributions::normal_quantile;
use crate::intervals::Interval;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FigureRefused {
    #[error(
        "no pairing: compare, do not rectify. Rectifying needs the twins of the people asked, or common attributes."
    )]
    NoPairing,
    #[error(
        "people who were drawn with known probabilities count for as many as their twins: give the twins a weight, or shares \
         of the population by attributes that both have"
    )]
    Weights,
    #[error(
        "arms are not compared where people were drawn with known probabilities: leave out the arm or the probability"
    )]
    ArmsDrawn,
    #[error("cells are made of at most {} attributes", super::MOST_ATTRIBUTES)]
    TooManyAttributes,
    #[error("{n} people are too few to rectify anything: at least {} are needed", super::LEAST_PEOPLE)]
    FewPeople { n: usize },
    #[error("there are no twins beyond those of the people asked")]
    NoTwins,
    #[error("no twin is in the cell \"{0}\", in which there are people")]
    EmptyCell(String),
    #[error("the cells' shares do not add up to 1")]
    SharesNotOne,
    #[error("no twin is in the cell \"{0}\", which has a share: a cell is named by its values, joined by \" · \"")]
    UnknownCell(String),
    #[error("people are in the cell \"{0}\", which has no share above 0")]
    CellWithoutShare(String),
    #[error("shares of cells count only where cells pair people and twins: here ids or probabilities do")]
    SharesUnused,
    #[error("a probability of being asked must be above 0 and at most 1")]
    Probability,
    #[error("a twin's spread is no person's: without a validation of these twins the spread of people is not known")]
    NotValidated,
    #[error("{0} must be above 0")]
    NotPositive(&'static str),
}

/// An estimate with its normal interval, in the item's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    pub estimate: f64,
    /// Squared standard error.
    pub variance: f64,
    pub interval: Interval,
}

impl Figure {
    pub fn new(estimate: f64, variance: f64, level: f64) -> Self {
        let half = normal_quantile(0.5 + level / 2.0) * variance.max(0.0).sqrt();
        Self { estimate, variance, interval: Interval { low: estimate - half, high: estimate + half } }
    }

    /// The interval of a share ends at 0 and 1.
    pub(super) fn within(mut self, low: f64, high: f64) -> Self {
        self.interval = Interval { low: self.interval.low.max(low), high: self.interval.high.min(high) };
        self
    }
}

/// People alone, twins alone and both, with what the twins are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rectified {
    /// People asked, and twins of others.
    pub n: usize,
    pub others: usize,
    /// How much weight the twins get, 0 to 1.
    pub lambda: f64,
    /// Correlation of people with their own twins.
    pub rho: f64,
    /// The people alone (λ = 0).
    pub people: Figure,
    /// The twins alone: precise, and as wrong as the twins are.
    pub twins: Figure,
    /// λ = 1, plain PPI.
    pub full_weight: Figure,
    /// λ as it is best: the estimate to report.
    pub rectified: Figure,
    /// Width of the rectified interval over the people's alone; below 1 the twins help.
    pub width_ratio: f64,
    /// So many people without twins would have the same interval.
    pub n_effective: f64,
    /// What `n_effective` should be by the correlation alone, `n(n+N)/(n+(1−ρ²)N)`.
    pub n_planned: f64,
    /// Kish's effective number of people, where they have weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kish: Option<f64>,
    pub sentence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
    pub assumption: &'static str,
}

impl Rectified {
    /// `figures`: people, twins, full weight, rectified.
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
            full_weight,
            rectified,
            width_ratio: if people.variance > 0.0 { (rectified.variance / people.variance).sqrt() } else { 1.0 },
            n_effective,
            n_planned: super::planned_n(rho, n, others as f64),
            kish: None,
            sentence: sentence(n, n_effective),
            note: note(n, people),
            assumption: ASSUMPTION,
        }
    }
}

/// What nobody may read the intervals without knowing.
pub(super) fn note(n: usize, people: Figure) -> Option<&'static str> {
    if people.variance <= 0.0 {
        return Some("all people say the same: an interval from their spread tells nothing");
    }
    (n < APPROXIMATE_BELOW).then_some("approximate: fewer than 100 people")
}

/// `n · V_people/V_rectified`.
pub(super) fn effective(n: usize, people: f64, rectified: f64) -> f64 {
    if rectified > 0.0 { n as f64 * people / rectified } else { n as f64 }
}

/// What the twins are worth, in people.
pub(super) fn sentence(n: usize, n_effective: f64) -> String {
    let extra = n_effective - n as f64;
    if extra < ALMOST_NOTHING * n as f64 {
        return format!("The twins add almost nothing here: {n} people alone say as much.");
    }
    format!(
        "The twins are worth {extra:.0} extra people: {n} people with twins say as much as {n_effective:.0} without."
    )
}
