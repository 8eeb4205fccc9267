use super::figure::{Figure, FigureRefused, Rectified};
use super::{average, check, covariance, variance};
use crate::metrics::pearson;
use crate::sample::{ones, sample_variance};

/// The mean of the population: `people[i]` and `twins[i]` belong together, `others` are twins of people who were not
/// asked. Errors: too few people, no other twins.
pub fn mean(people: &[f64], twins: &[f64], others: &[f64], level: f64) -> Result<Rectified, FigureRefused> {
    if people.len() != twins.len() {
        return Err(FigureRefused::NoPairing);
    }
    check(people.len(), others.len())?;
    let lambda = best_lambda(people, twins, others);
    let rho = pearson(people, twins, &ones(people.len())).unwrap_or(0.0);
    let with = |lambda| estimate(people, twins, others, lambda, level);
    let alone = Figure::new(average(others), variance(others) / others.len() as f64, level);
    Ok(Rectified::new(people.len(), others.len(), lambda, rho, [with(0.0), alone, with(1.0), with(lambda)]))
}

/// `θ(λ) = λ·mean f + mean(Y − λf)` with `SE² = λ²·var f/N + var(Y − λf)/n`.
pub fn estimate(people: &[f64], twins: &[f64], others: &[f64], lambda: f64, level: f64) -> Figure {
    let rest: Vec<f64> = people.iter().zip(twins).map(|(y, f)| y - lambda * f).collect();
    let theta = lambda * average(others) + average(&rest);
    let squared = lambda * lambda * variance(others) / others.len() as f64 + variance(&rest) / rest.len() as f64;
    Figure::new(theta, squared, level)
}

/// `λ* = cov(Y, f)/((1 + n/N)·var f)`, 0 to 1: the weight with the narrowest interval. The covariance has ddof 0, the
/// variance of all twins together ddof 1, as in ppi-python. Twins that never differ get 0.
pub fn best_lambda(people: &[f64], twins: &[f64], others: &[f64]) -> f64 {
    let all: Vec<f64> = twins.iter().chain(others).copied().collect();
    let spread = sample_variance(&all).unwrap_or(0.0);
    ratio(covariance(people, twins), (1.0 + people.len() as f64 / others.len() as f64) * spread)
}

/// A weight, clipped to 0..1; 0 where the twins have no spread.
pub(super) fn ratio(covariance: f64, spread: f64) -> f64 {
    if spread > 0.0 { (covariance / spread).clamp(0.0, 1.0) } else { 0.0 }
}
