//! Agreement of each twin with its own person.

use super::scale::{Scale, decile};
use crate::sample::total;

/// `1 − mean |t−h| / range`, 0 to 1. Nominal scales: the share of equal answers. Unbounded scales: both as deciles of
/// the people's answers, with a range of 9. Follows the evaluation of Twin-2K-500 (Toubia et al. 2025).
pub fn accuracy(scale: Scale, edges: &[f64], human: &[f64], twin: &[f64], weights: &[f64]) -> Option<f64> {
    let distance: Box<dyn Fn(f64, f64) -> f64> = match scale {
        Scale::Nominal { .. } => return exact(human, twin, weights),
        Scale::Unbounded => Box::new(|h, t| (decile(t, edges) - decile(h, edges)).abs() / 9.0),
        Scale::Ordinal { .. } | Scale::Interval { .. } => {
            let range = scale.range().filter(|range| *range > 0.0)?;
            Box::new(move |h, t| (t - h).abs() / range)
        }
    };
    weighted(human, twin, weights, |h, t| 1.0 - distance(h, t))
}

/// The share of pairs with the same answer, 0 to 1.
pub fn exact(human: &[f64], twin: &[f64], weights: &[f64]) -> Option<f64> {
    weighted(human, twin, weights, |h, t| f64::from(h == t))
}

fn weighted(human: &[f64], twin: &[f64], weights: &[f64], score: impl Fn(f64, f64) -> f64) -> Option<f64> {
    let total = total(weights);
    let scores = human.iter().zip(twin).zip(weights).map(|((h, t), weight)| weight * score(*h, *t));
    (total > 0.0).then(|| scores.sum::<f64>() / total)
}

/// Cohen's κ (1960), −1 to 1: agreement beyond chance. `None` if both sides give one and the same answer only.
pub fn kappa(human: &[f64], twin: &[f64], weights: &[f64], categories: usize) -> Option<f64> {
    disagreement(human, twin, weights, categories, |a, b| f64::from(a != b))
}

/// Cohen's κ with quadratic weights (1968), −1 to 1: a miss by two categories counts four times a miss by one.
pub fn quadratic_kappa(human: &[f64], twin: &[f64], weights: &[f64], categories: usize) -> Option<f64> {
    let span = (categories as f64 - 1.0).powi(2);
    disagreement(human, twin, weights, categories, |a, b| (a as f64 - b as f64).powi(2) / span)
}

/// `1 − Σw·observed / Σw·expected`. With a weight of 1 for any disagreement this is `(p_o − p_e)/(1 − p_e)`.
fn disagreement(
    human: &[f64],
    twin: &[f64],
    weights: &[f64],
    categories: usize,
    cost: impl Fn(usize, usize) -> f64,
) -> Option<f64> {
    let (p, q) = (super::shares(human, weights, categories)?, super::shares(twin, weights, categories)?);
    let observed = weighted(human, twin, weights, |h, t| cost(h as usize, t as usize))?;
    let expected: f64 = (0..categories)
        .flat_map(|a| (0..categories).map(move |b| (a, b)))
        .map(|(a, b)| p[a] * q[b] * cost(a + 1, b + 1))
        .sum();
    (expected > 0.0).then(|| 1.0 - observed / expected)
}
