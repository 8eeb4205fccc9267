use crate::sample::{covariances, midranks};

/// Bound of correlations before Fisher's z, so that one perfect item does not make the mean infinite.
const CLIP: f64 = 0.9999;

/// Pearson's r, −1 to 1. 0 if a side is constant, as in the mega-study: a twin that always answers the same predicts
/// nothing.
pub fn pearson(a: &[f64], b: &[f64], weights: &[f64]) -> Option<f64> {
    let (var_a, var_b, covariance) = covariances(a, b, weights)?;
    // Floating point can leave a constant's variance slightly above 0.
    let is_constant = |values: &[f64], variance: f64| {
        let scale = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        variance <= (scale * 1e-12).powi(2)
    };
    if is_constant(a, var_a) || is_constant(b, var_b) {
        return Some(0.0);
    }
    Some((covariance / (var_a.sqrt() * var_b.sqrt())).clamp(-1.0, 1.0))
}

/// Spearman's ρ: Pearson's r of the mid-ranks.
pub fn spearman(a: &[f64], b: &[f64], weights: &[f64]) -> Option<f64> {
    pearson(&midranks(a, weights), &midranks(b, weights), weights)
}

/// The mean of correlations of several items: Fisher's z weighted by n, `tanh(Σ n·atanh r / Σ n)`. `None` without
/// items.
pub fn mean_correlation(items: &[(f64, usize)]) -> Option<f64> {
    let n: usize = items.iter().map(|(_, n)| n).sum();
    let sum: f64 = items.iter().map(|(r, n)| *n as f64 * r.clamp(-CLIP, CLIP).atanh()).sum();
    (n > 0).then(|| (sum / n as f64).tanh())
}
