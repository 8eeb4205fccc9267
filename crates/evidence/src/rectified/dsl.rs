//! Design-based supervised learning (Egami et al. 2023), for people who were drawn from the twins' persons with known
//! probabilities.

use super::figure::{Figure, FigureRefused};
use crate::regression::{Fit, least_squares};
use crate::sample::{Mean, ones};

/// The twins of everybody, and the answers of the people who were drawn.
#[derive(Clone, Copy, Debug)]
pub struct Subsample<'a> {
    pub twins: &'a [f64],
    /// The person's answer. `None` if the person was not asked.
    pub people: &'a [Option<f64>],
    /// The probability of being asked, above 0.
    pub probability: &'a [f64],
}

/// `Ỹ_i = f_i + (R_i/π_i)(Y_i − f_i)`: an unbiased substitute for every person's answer.
pub fn dsl_outcomes(of: Subsample) -> Result<Vec<f64>, FigureRefused> {
    if of.twins.len() != of.people.len() || of.twins.len() != of.probability.len() {
        return Err(FigureRefused::NoPairing);
    }
    if of.probability.iter().any(|probability| !(*probability > 0.0 && *probability <= 1.0)) {
        return Err(FigureRefused::Probability);
    }
    let asked = of.people.iter().flatten().count();
    super::check(asked, of.twins.len())?;
    let outcome = |((f, y), probability): ((&f64, &Option<f64>), &f64)| y.map_or(*f, |y| f + (y - f) / probability);
    Ok(of.twins.iter().zip(of.people).zip(of.probability).map(outcome).collect())
}

/// The mean of `Ỹ` with its robust standard error.
pub fn dsl_mean(of: Subsample, level: f64) -> Result<Figure, FigureRefused> {
    let outcomes = dsl_outcomes(of)?;
    let mean = Mean::compute(&outcomes, &ones(outcomes.len())).ok_or(FigureRefused::NoTwins)?;
    Ok(Figure::new(mean.mean, mean.squared_error, level))
}

/// Least squares of `Ỹ` on the rows `x` with HC2 errors. `Ok(None)` if the columns are linearly dependent.
pub fn dsl_regression(of: Subsample, x: &[Vec<f64>]) -> Result<Option<Fit>, FigureRefused> {
    Ok(least_squares(x, &dsl_outcomes(of)?))
}
