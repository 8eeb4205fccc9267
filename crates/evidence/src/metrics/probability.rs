//! Scores of forecasts: shares over a twin's repeated answers against its person's answer. 0 is best.

/// Minimum probability in a logarithm.
const MIN_PROBABILITY: f64 = 1e-6;

/// Shares of k repeated answers, smoothed by half an answer for each option (Jeffreys): `(c_k + .5)/(k + K/2)`.
pub fn smoothed(counts: &[usize]) -> Vec<f64> {
    let all = counts.iter().sum::<usize>() as f64 + counts.len() as f64 / 2.0;
    counts.iter().map(|count| (*count as f64 + 0.5) / all).collect()
}

/// Brier score, `Σ_k (p_k − [y = k])²`, 0 to 2, as the mean over forecasts. A forecast is its probabilities and the
/// 0-based position of the answer.
pub fn brier(forecasts: &[(Vec<f64>, usize)]) -> Option<f64> {
    mean(forecasts, brier_of)
}

pub(crate) fn brier_of(p: &[f64], y: usize) -> f64 {
    p.iter().enumerate().map(|(k, p)| (p - f64::from(k == y)).powi(2)).sum()
}

/// Negative log likelihood in nats, `−ln max(p_y, 1e−6)`.
pub fn log_loss(forecasts: &[(Vec<f64>, usize)]) -> Option<f64> {
    mean(forecasts, log_loss_of)
}

pub(crate) fn log_loss_of(p: &[f64], y: usize) -> f64 {
    -p.get(y).copied().unwrap_or(0.0).max(MIN_PROBABILITY).ln()
}

/// Ranked probability score, `Σ_{k<K} (F(k) − [y ≤ k])²/(K−1)`, 0 to 1: near misses on an ordinal scale cost less.
pub fn ranked_probability(forecasts: &[(Vec<f64>, usize)]) -> Option<f64> {
    mean(forecasts, ranked_probability_of)
}

pub(crate) fn ranked_probability_of(p: &[f64], y: usize) -> f64 {
    let steps = p.len().saturating_sub(1);
    let mut below = 0.0;
    let sum: f64 = (0..steps)
        .map(|k| {
            below += p[k];
            (below - f64::from(y <= k)).powi(2)
        })
        .sum();
    sum / steps.max(1) as f64
}

/// Expected calibration error in 10 bins, 0 to 1 (Guo et al. 2017): the gap between the most probable option's
/// probability and the share of cases in which it was the answer.
pub fn expected_calibration_error(forecasts: &[(Vec<f64>, usize)]) -> Option<f64> {
    let mut bins = [(0.0, 0.0, 0.0); 10];
    for (p, y) in forecasts {
        let (top, confidence) = p.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let (n, sure, right) = &mut bins[((confidence * 10.0).ceil() as usize).clamp(1, 10) - 1];
        *n += 1.0;
        *sure += confidence;
        *right += f64::from(top == *y);
    }
    let gaps: f64 = bins.iter().map(|(_, sure, right)| f64::abs(right - sure)).sum();
    (!forecasts.is_empty()).then(|| gaps / forecasts.len() as f64)
}

fn mean(forecasts: &[(Vec<f64>, usize)], score: impl Fn(&[f64], usize) -> f64) -> Option<f64> {
    let sum: f64 = forecasts.iter().map(|(p, y)| score(p, *y)).sum();
    (!forecasts.is_empty()).then(|| sum / forecasts.len() as f64)
}
