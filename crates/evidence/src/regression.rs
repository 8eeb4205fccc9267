//! Ordinary least squares, and the comparison of coefficients between twins and people.

mod clustered;

use serde::Serialize;

use crate::distributions::normal_two_sided;
use crate::effects::ALPHA;
use crate::linear::{dot, gram, inverse, times};
pub use clustered::{ClusterRobust, cluster_robust};

/// Coefficients and their HC2 standard errors (MacKinnon and White 1985), which hold for unequal variances.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    pub coefficients: Vec<f64>,
    pub errors: Vec<f64>,
    pub n: usize,
}

/// Fits `y` on the rows `x`, which contain the 1 of the intercept. `None` unless there are more rows than columns and
/// the columns are linearly independent.
pub fn least_squares(x: &[Vec<f64>], y: &[f64]) -> Option<Fit> {
    let columns = x.first()?.len();
    if x.len() <= columns || x.len() != y.len() {
        return None;
    }
    let inverse = inverse(&gram(x))?;
    let moments: Vec<f64> = (0..columns).map(|a| x.iter().zip(y).map(|(row, y)| row[a] * y).sum()).collect();
    let coefficients = times(&inverse, &moments);
    // HC2 divides each squared residual by 1 less its leverage.
    let mut variances = vec![0.0; columns];
    for (row, y) in x.iter().zip(y) {
        let spread = times(&inverse, row);
        let leverage = dot(row, &spread);
        let residual = y - dot(row, &coefficients);
        // A row that alone determines a coefficient has residual 0 and no information on its error.
        if leverage < 1.0 - 1e-10 {
            let squared = residual * residual / (1.0 - leverage);
            variances.iter_mut().zip(&spread).for_each(|(variance, spread)| *variance += squared * spread * spread);
        }
    }
    Some(Fit { coefficients, errors: variances.into_iter().map(f64::sqrt).collect(), n: x.len() })
}

/// Comparison of the coefficients without the intercept: shares of those that differ by a z-test, and of those with
/// opposite signs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coefficients {
    pub compared: usize,
    pub differ: f64,
    pub flip_sign: f64,
    /// p of each difference.
    pub p: Vec<f64>,
}

/// Compares two fits. `None` if they have different columns, or only the intercept.
pub fn compare(human: &Fit, twin: &Fit) -> Option<Coefficients> {
    let compared = human.coefficients.len().checked_sub(1).filter(|compared| *compared > 0)?;
    if twin.coefficients.len() != human.coefficients.len() {
        return None;
    }
    let both = || human.coefficients.iter().zip(&twin.coefficients).zip(human.errors.iter().zip(&twin.errors)).skip(1);
    let p: Vec<f64> = both().map(|((h, t), (eh, et))| normal_two_sided((t - h) / eh.hypot(*et))).collect();
    let share = |count: usize| count as f64 / compared as f64;
    Some(Coefficients {
        compared,
        differ: share(p.iter().filter(|p| **p < ALPHA).count()),
        flip_sign: share(both().filter(|((h, t), _)| **h * **t < 0.0).count()),
        p,
    })
}
