//! Raking: weights that make a sample's shares those of a population.

use serde::{Deserialize, Serialize};

/// Maximum number of rounds of raking.
const MAX_ROUNDS: usize = 50;
/// Relative error of a margin at which raking stops.
const TOLERANCE: f64 = 1e-6;
/// Ratio to the mean at which weights are trimmed: 1/5 and 5 times.
const TRIM: f64 = 5.0;

/// The shares of one attribute's levels in the population.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Margin {
    pub attribute: String,
    /// The level of each person, as a position in `shares`.
    pub levels: Vec<usize>,
    /// The share of each level, 0 to 1; together 1.
    pub shares: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsRefused {
    #[error("the shares of {0} do not add up to 1")]
    NotOne(String),
    #[error("{attribute}: nobody in the sample has level {level}, which has a share in the population")]
    Nobody { attribute: String, level: usize },
    #[error("{0}: the levels are not those of the sample")]
    Unlike(String),
    #[error("the margins contradict each other: after {MAX_ROUNDS} rounds they are still {error:.6} off")]
    NoConvergence { error: f64 },
}

/// Weights of mean 1, with figures on how they were found.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Raked {
    pub weights: Vec<f64>,
    pub rounds: usize,
    /// The largest relative error of a margin before trimming.
    pub error: f64,
    /// Number of people whose weight was cut to 1/5 or 5 times the mean.
    pub trimmed: usize,
    /// Kish's effective number of people.
    pub n_effective: f64,
}

/// Iterative proportional fitting (Deming and Stephan 1940): multiplies weights until each margin has its shares, then
/// trims.
pub fn rake(people: usize, margins: &[Margin]) -> Result<Raked, WeightsRefused> {
    for margin in margins {
        check(people, margin)?;
    }
    let mut weights = vec![1.0; people];
    let mut rounds = 0;
    let mut error = worst(&weights, margins);
    while error > TOLERANCE && rounds < MAX_ROUNDS {
        for margin in margins {
            let factors: Vec<f64> =
                shares(&weights, margin).iter().zip(&margin.shares).map(|(now, target)| ratio(*target, *now)).collect();
            for (weight, level) in weights.iter_mut().zip(&margin.levels) {
                *weight *= factors[*level];
            }
        }
        rounds += 1;
        error = worst(&weights, margins);
    }
    if error > TOLERANCE {
        return Err(WeightsRefused::NoConvergence { error });
    }
    let mean = crate::sample::total(&weights) / people.max(1) as f64;
    let trimmed = weights.iter().filter(|weight| **weight < mean / TRIM || **weight > mean * TRIM).count();
    for weight in &mut weights {
        *weight = weight.clamp(mean / TRIM, mean * TRIM);
    }
    let mean = crate::sample::total(&weights) / people.max(1) as f64;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    let n_effective = crate::sample::effective_n(&weights).unwrap_or(0.0);
    Ok(Raked { weights, rounds, error, trimmed, n_effective })
}

fn check(people: usize, margin: &Margin) -> Result<(), WeightsRefused> {
    let name = || margin.attribute.clone();
    if (margin.shares.iter().sum::<f64>() - 1.0).abs() > TOLERANCE || margin.shares.iter().any(|share| *share < 0.0) {
        return Err(WeightsRefused::NotOne(name()));
    }
    if margin.levels.len() != people || margin.levels.iter().any(|level| *level >= margin.shares.len()) {
        return Err(WeightsRefused::Unlike(name()));
    }
    for (level, share) in margin.shares.iter().enumerate() {
        if *share > 0.0 && !margin.levels.contains(&level) {
            return Err(WeightsRefused::Nobody { attribute: name(), level });
        }
    }
    Ok(())
}

fn shares(weights: &[f64], margin: &Margin) -> Vec<f64> {
    let mut sums = vec![0.0; margin.shares.len()];
    for (weight, level) in weights.iter().zip(&margin.levels) {
        sums[*level] += weight;
    }
    let total = crate::sample::total(weights);
    sums.iter().map(|sum| ratio(*sum, total)).collect()
}

fn worst(weights: &[f64], margins: &[Margin]) -> f64 {
    let errors = margins.iter().flat_map(|margin| {
        let now = shares(weights, margin);
        now.into_iter().zip(margin.shares.clone()).map(|(now, target)| ratio((now - target).abs(), target))
    });
    errors.fold(0.0, f64::max)
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
