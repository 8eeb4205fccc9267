//! Probabilities and quantiles, computed by statrs. Degrees of freedom that are not positive give NaN instead of an
//! error, because a test without degrees of freedom has no result.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::checked_beta_reg;

/// Quantile of the standard normal distribution for 0 < p < 1.
pub fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

/// P(Z <= z) of the standard normal distribution.
pub fn normal_cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// P(|Z| >= |z|) of the standard normal distribution.
pub fn normal_two_sided(z: f64) -> f64 {
    2.0 * Normal::standard().sf(z.abs())
}

/// P(T <= t) of Student's t distribution.
pub fn t_cdf(t: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |dist| dist.cdf(t))
}

/// P(|T| >= |t|) of Student's t distribution.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |dist| 2.0 * dist.sf(t.abs()))
}

/// Quantile of Student's t distribution for 0 < p < 1. statrs' own bisection stops early, so Newton's steps follow.
pub fn t_quantile(p: f64, df: f64) -> f64 {
    use statrs::distribution::Continuous;
    let Ok(dist) = StudentsT::new(0.0, 1.0, df) else { return f64::NAN };
    let mut t = dist.inverse_cdf(p);
    for _ in 0..3 {
        let density = dist.pdf(t);
        if density > 0.0 {
            t -= (dist.cdf(t) - p) / density;
        }
    }
    t
}

/// P(X >= x) of the χ² distribution.
pub fn chi_squared_above(x: f64, df: f64) -> f64 {
    ChiSquared::new(df).map_or(f64::NAN, |dist| dist.sf(x))
}

/// P(X >= x) of Fisher's F, computed as a tail: 1 less the other tail would lose the digits of a small p.
pub fn f_above(x: f64, df1: f64, df2: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    checked_beta_reg(df2 / 2.0, df1 / 2.0, df2 / (df2 + df1 * x)).unwrap_or(f64::NAN)
}

/// P(sup |B| >= x) of Kolmogorov's limit distribution, for a Brownian bridge B.
pub fn kolmogorov_above(x: f64) -> f64 {
    if x < 0.2 {
        return 1.0;
    }
    let terms = (1..=100).map(|k| {
        let k = f64::from(k);
        let sign = if k % 2.0 == 1.0 { 2.0 } else { -2.0 };
        sign * (-2.0 * k * k * x * x).exp()
    });
    terms.sum::<f64>().clamp(0.0, 1.0)
}
