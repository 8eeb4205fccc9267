//! Prediction-powered inference, PPI++ (Angelopoulos, Duchi and Zrnic 2023): estimates from few people and many twins
//! that are unbiased whatever the twins answer. Bad twins cost precision, never validity. Variances have ddof 0, as in
//! ppi-python.

mod cells;
mod differences;
mod dsl;
mod estimators;
mod figure;
mod mean;
mod planner;
mod shares;
mod table;
mod weighted_values;

pub use cells::{Cells, by_cell};
pub use differences::{all_arms, split_arms};
pub use dsl::{Subsample, dsl_mean, dsl_outcomes, dsl_regression};
pub use figure::{EstimatedEffect, Estimator, Figure, FigureRefused, Rectified, planned_n};
pub use mean::{PairedSample, best_lambda, estimate, mean};
pub use planner::{Budget, Pair, Prices, human_sd, pair, precision, two_arms, two_shares};
pub use shares::shares;
pub use table::{PairedBy, RectifiedRow, RectifiedTable, Unrectified, table};

use weighted_values::WeightedValues;

/// Minimum number of people of a rectified estimate.
pub const MIN_PEOPLE: usize = 30;
/// Number of people below which the interval is called approximate.
pub const APPROXIMATE_BELOW: usize = 100;
/// Share of the people below which the twins' worth is called "almost nothing".
pub const ALMOST_NOTHING: f64 = 0.05;
/// Maximum number of attributes that make cells.
pub const MAX_ATTRIBUTES: usize = 3;
/// Assumption of every rectified estimate. It is shown beside each.
pub const ASSUMPTION: &str = "The people asked are a random sample of those whom the twins stand for.";
/// Assumption of estimates whose people were drawn with known probabilities.
pub const DRAWN_ASSUMPTION: &str =
    "The people asked were drawn from the persons of the twins, each with the probability given.";

/// Population covariance of unweighted values; 0 without values.
fn covariance(a: &[f64], b: &[f64]) -> f64 {
    crate::sample::covariance(a, b, &crate::sample::ones(a.len())).unwrap_or(0.0)
}

fn check(n: usize, others: usize) -> Result<(), FigureRefused> {
    if n < MIN_PEOPLE {
        return Err(FigureRefused::FewPeople { n });
    }
    if others == 0 { Err(FigureRefused::NoTwins) } else { Ok(()) }
}
