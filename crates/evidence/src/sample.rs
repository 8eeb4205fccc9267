//! Weighted means, spreads and ranks. `weights` is as long as `values`; all ones is the unweighted case, and a
//! bootstrap draw counts a person as often as it was drawn. Spreads are those of a population (ddof 0).

/// Sum of weights; above 0 for any sample that has an answer.
pub fn total(weights: &[f64]) -> f64 {
    weights.iter().sum()
}

/// Kish's effective number of people, `(Σw)²/Σw²`. `None` without weight.
pub fn effective_n(weights: &[f64]) -> Option<f64> {
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    (squares > 0.0).then(|| total(weights).powi(2) / squares)
}

/// The weighted mean. `None` without weight.
pub fn mean(values: &[f64], weights: &[f64]) -> Option<f64> {
    mean_over(values, weights, total(weights))
}

/// [`mean`], given the sum of the weights.
fn mean_over(values: &[f64], weights: &[f64], total: f64) -> Option<f64> {
    (total > 0.0).then(|| values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / total)
}

/// The weighted covariance, ddof 0.
pub fn covariance(a: &[f64], b: &[f64], weights: &[f64]) -> Option<f64> {
    let total = total(weights);
    let (a, b) = ((a, mean_over(a, weights, total)?), (b, mean_over(b, weights, total)?));
    Some(covariance_about(a, b, weights, total))
}

/// The weighted variance, ddof 0.
pub fn variance(values: &[f64], weights: &[f64]) -> Option<f64> {
    let total = total(weights);
    let mean = mean_over(values, weights, total)?;
    Some(covariance_about((values, mean), (values, mean), weights, total))
}

/// The weighted variances of `a` and of `b`, and their covariance, ddof 0. Each mean is computed once, because a
/// bootstrap of correlations takes most of its time here.
pub fn covariances(a: &[f64], b: &[f64], weights: &[f64]) -> Option<(f64, f64, f64)> {
    let total = total(weights);
    let (a, b) = ((a, mean_over(a, weights, total)?), (b, mean_over(b, weights, total)?));
    let about = |a, b| covariance_about(a, b, weights, total);
    Some((about(a, a), about(b, b), about(a, b)))
}

/// The covariance of two sides, each given as its values and their mean.
fn covariance_about((a, mean_a): (&[f64], f64), (b, mean_b): (&[f64], f64), weights: &[f64], total: f64) -> f64 {
    let products = a.iter().zip(b).zip(weights).map(|((a, b), weight)| weight * (a - mean_a) * (b - mean_b));
    products.sum::<f64>() / total
}

/// The weighted standard deviation, ddof 0, in the values' unit.
pub fn sd(values: &[f64], weights: &[f64]) -> Option<f64> {
    variance(values, weights).map(f64::sqrt)
}

/// The variance with ddof 1 of unweighted values. `None` for fewer than 2.
pub fn sample_variance(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    (values.len() >= 2).then(|| variance(values, &ones(values.len())))?.map(|variance| variance * n / (n - 1.0))
}

/// Weights of a sample without weights.
pub fn ones(n: usize) -> Vec<f64> {
    vec![1.0; n]
}

/// Quantile of type 7, as in R and numpy. `sorted` ascends. `None` if it is empty.
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = p.clamp(0.0, 1.0) * last as f64;
    let below = *sorted.get(place.floor() as usize)?;
    let above = *sorted.get((place.floor() as usize + 1).min(last))?;
    Some(below + (above - below) * place.fract())
}

/// Positions of the values in ascending order.
pub fn ascending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    order
}

/// Mid-ranks from 1: equal values share the mean of their ranks. A weight counts as that many people.
pub fn midranks(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let order = ascending(values);
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0.0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let here: f64 = equal.iter().map(|place| weights[*place]).sum();
        for place in equal {
            ranks[*place] = below + (here + 1.0) / 2.0;
        }
        below += here;
    }
    ranks
}

/// A mean with the figures for its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Number of people who answered.
    pub n: usize,
    /// Kish's effective n, `(Σw)²/Σw²`; n without weights.
    pub n_effective: f64,
    pub mean: f64,
    /// Standard deviation with ddof 1, in the values' unit.
    pub sd: f64,
    /// Squared standard error of the mean, linearised for weights; `s²/n` without them.
    pub squared_error: f64,
}

impl Mean {
    /// Makes the mean of `n` unweighted answers from their standard deviation (ddof 1). `None` for fewer than 2.
    pub fn of_moments(n: usize, mean: f64, sd: f64) -> Option<Self> {
        let size = n as f64;
        (n >= 2).then(|| Self { n, n_effective: size, mean, sd, squared_error: sd * sd / size })
    }

    /// Computes the mean. `None` for fewer than 2 people.
    pub fn compute(values: &[f64], weights: &[f64]) -> Option<Self> {
        let n = weights.iter().filter(|weight| **weight > 0.0).count();
        if n < 2 {
            return None;
        }
        let (mean, total, size) = (mean(values, weights)?, total(weights), n as f64);
        let correction = size / (size - 1.0);
        let squares = values.iter().zip(weights).map(|(value, weight)| (weight * (value - mean)).powi(2));
        Some(Self {
            n,
            n_effective: effective_n(weights)?,
            mean,
            sd: (variance(values, weights)? * correction).sqrt(),
            squared_error: squares.sum::<f64>() / (total * total) * correction,
        })
    }
}
