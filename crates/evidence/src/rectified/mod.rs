//! Estimates from few people and many twins that are right whatever the twins say: prediction-powered inference, PPI++
//! (Angelopoulos, Duchi and Zrnic 2023). Twins that are wrong cost precision, never truth. Variances have ddof 0, as
//! ppi-python has them.

mod cells;
mod differences;
mod dsl;
mod figure;
mod mean;
mod planner;
mod shares;
mod table;
mod weighed;

pub use cells::{Cells, by_cell};
pub use differences::{all_arms, split_arms};
pub use dsl::{Subsample, dsl_mean, dsl_outcomes, dsl_regression};
pub use figure::{Figure, FigureRefused, Rectified};
pub use mean::{PairedSample, best_lambda, estimate, mean};
pub use planner::{Budget, Pair, Prices, human_sd, pair, planned_n, precision, two_arms, two_shares};
pub use shares::shares;
pub use table::{MOST_ATTRIBUTES, PairedBy, RectifiedRow, RectifiedTable, Unrectified, table};

use weighed::Weighed;

/// Fewer people cannot rectify anything.
pub const LEAST_PEOPLE: usize = 30;
/// Below this many people the interval is called approximate.
pub const APPROXIMATE_BELOW: usize = 100;
/// Twins that are worth less than this share of the people "add almost nothing".
pub const ALMOST_NOTHING: f64 = 0.05;
/// What every rectified estimate rests on; it stands beside each.
pub const ASSUMPTION: &str = "The people asked are a random sample of those whom the twins stand for.";
/// What estimates rest on whose people were drawn with known probabilities.
pub const DRAWN_ASSUMPTION: &str =
    "The people asked were drawn from the persons of the twins, each with the probability given.";

/// Population covariance of unweighted values; 0 without values.
fn covariance(a: &[f64], b: &[f64]) -> f64 {
    crate::sample::covariance(a, b, &crate::sample::ones(a.len())).unwrap_or(0.0)
}

fn check(n: usize, others: usize) -> Result<(), FigureRefused> {
    if n < LEAST_PEOPLE {
        return Err(FigureRefused::FewPeople { n });
    }
    if others == 0 { Err(FigureRefused::NoTwins) } else { Ok(()) }
}
