//! Reliability of a scale's score.

use serde::Serialize;

use crate::linear::eigen;

/// Minimum number of respondents with all parts.
const MIN_RESPONDENTS: usize = 10;
const MAX_STEPS: usize = 2_000;
/// Change of a communality below which the factor is found.
const LAST_STEP: f64 = 1e-13;

/// Reliability of the mean or the sum of several parts, among the respondents who have them all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScaleReliability {
    pub n: usize,
    /// Cronbach's α (1951).
    #[cfg_attr(feature = "openapi", schema(example = 0.84))]
    pub alpha: f64,
    /// McDonald's ω total (1999) of one common factor, by principal axes; null if the parts have no common factor.
    pub omega: Option<f64>,
}

/// Computes the reliability from rows of parts. `None` for few respondents or if a part or the score never differs.
pub fn scale_reliability(rows: &[Vec<f64>]) -> Option<ScaleReliability> {
    let parts = rows.first()?.len();
    if rows.len() < MIN_RESPONDENTS || parts < 2 {
        return None;
    }
    let n = rows.len() as f64;
    let means: Vec<f64> = (0..parts).map(|part| rows.iter().map(|row| row[part]).sum::<f64>() / n).collect();
    let covariance =
        |a: usize, b: usize| rows.iter().map(|row| (row[a] - means[a]) * (row[b] - means[b])).sum::<f64>() / (n - 1.0);
    let matrix: Vec<Vec<f64>> = (0..parts).map(|a| (0..parts).map(|b| covariance(a, b)).collect()).collect();
    let own: f64 = (0..parts).map(|part| matrix[part][part]).sum();
    let total: f64 = matrix.iter().flatten().sum();
    if total <= 1e-12 * own || (0..parts).any(|part| matrix[part][part] <= 0.0) {
        return None;
    }
    let k = parts as f64;
    let sd: Vec<f64> = (0..parts).map(|part| matrix[part][part].sqrt()).collect();
    let correlations: Vec<Vec<f64>> =
        (0..parts).map(|a| (0..parts).map(|b| matrix[a][b] / (sd[a] * sd[b])).collect()).collect();
    let omega = loadings(&correlations).map(|loadings| {
        let common: f64 = loadings.iter().zip(&sd).map(|(loading, sd)| loading * sd).sum::<f64>().powi(2);
        let unique: f64 = loadings.iter().zip(&sd).map(|(loading, sd)| (1.0 - loading * loading) * sd * sd).sum();
        common / (common + unique)
    });
    Some(ScaleReliability { n: rows.len(), alpha: k / (k - 1.0) * (1.0 - own / total), omega })
}

/// Loadings of one factor by iterated principal axes: communalities on the diagonal, begun with 1. `None` for fewer than 3
/// parts, without convergence, or if a communality exceeds 1.
fn loadings(correlations: &[Vec<f64>]) -> Option<Vec<f64>> {
    let parts = correlations.len();
    if parts < 3 {
        return None;
    }
    let mut reduced = correlations.to_vec();
    for _ in 0..MAX_STEPS {
        let (value, vector) = eigen(&reduced).into_iter().max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        if value <= 0.0 {
            return None;
        }
        let sign = if vector.iter().sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        let loadings: Vec<f64> = vector.iter().map(|entry| sign * entry * value.sqrt()).collect();
        let mut change = 0.0_f64;
        for (part, loading) in loadings.iter().enumerate() {
            change = change.max((reduced[part][part] - loading * loading).abs());
            reduced[part][part] = loading * loading;
        }
        if loadings.iter().any(|loading| loading * loading > 1.0) && change < 0.1 {
            return None;
        }
        if change < LAST_STEP {
            return Some(loadings);
        }
    }
    None
}
