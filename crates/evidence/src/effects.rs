//! Differences between two groups or two sides, and whether twins and people agree on them.

mod adjusted;
mod summary;

use serde::Serialize;

use crate::distributions::{t_cdf, t_quantile, t_two_sided};
use crate::intervals::{Interval, of_share};
use crate::sample::Mean;
pub use adjusted::{ArmSample, clustered, lin};
pub use summary::{EffectPair, EffectSummary, MIN_ITEMS, ShownEffects, Significance, summarise};

/// Level of significance of an effect.
pub const ALPHA: f64 = 0.05;

/// The difference of two means or shares, the first less the second, in the question's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Difference {
    pub difference: f64,
    /// Lower end of the interval.
    pub low: f64,
    pub high: f64,
    /// Cohen's d: the difference in pooled sd (ddof 1). For paired answers, in sd of the differences.
    pub d: f64,
    /// The interval in the unit of `d`: that of the difference over the sd.
    #[serde(rename = "dLow")]
    pub d_low: f64,
    #[serde(rename = "dHigh")]
    pub d_high: f64,
    pub p: f64,
    /// Null where it is not known who stands behind the difference, or not for the reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<DifferenceDetails>,
    // Private fields are not serialized: they would reveal the number of people in an arm.
    #[serde(skip)]
    pub squared_error: f64,
    #[serde(skip)]
    pub t: f64,
    #[serde(skip)]
    pub df: f64,
    /// The sd that is the unit of `d`.
    #[serde(skip)]
    pub sd: f64,
    #[serde(skip)]
    pub n_first: usize,
    #[serde(skip)]
    pub n_second: usize,
}

/// The answers behind a difference of two independent means or shares, and its test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DifferenceDetails {
    /// Numbers of answers.
    pub n_first: usize,
    pub n_second: usize,
    pub mean_first: f64,
    pub mean_second: f64,
    /// Standard deviations (ddof 1).
    pub sd_first: f64,
    pub sd_second: f64,
    /// Welch's t with its degrees of freedom.
    pub t: f64,
    pub df: f64,
}

impl Difference {
    /// Adds the means of which it is the difference.
    pub fn with_details(self, first: Mean, second: Mean) -> Self {
        let details = DifferenceDetails {
            n_first: first.n,
            n_second: second.n,
            mean_first: first.mean,
            mean_second: second.mean,
            sd_first: first.sd,
            sd_second: second.sd,
            t: self.t,
            df: self.df,
        };
        Self { details: Some(details), ..self }
    }

    pub fn interval(&self) -> Interval {
        Interval { low: self.low, high: self.high }
    }

    /// Replaces the interval.
    pub fn with(self, Interval { low, high }: Interval) -> Self {
        Self { low, high, d_low: low / self.sd, d_high: high / self.sd, ..self }
    }

    pub fn is_significant(&self) -> bool {
        self.p < ALPHA
    }

    /// Squared standard error of `d`, from the errors of the difference and of the sd (Hedges 1981, for large samples).
    fn squared_error_of_d(&self) -> f64 {
        self.squared_error / self.sd.powi(2) + self.d.powi(2) / (2.0 * self.df)
    }
}

/// Welch's t-test (1947). `None` for fewer than 2 on a side, or if nobody differs from anybody. Weighted means have
/// linearised errors.
pub fn welch(a: Mean, b: Mean, level: f64) -> Option<Difference> {
    let (va, vb) = (a.squared_error, b.squared_error);
    if va + vb <= 0.0 {
        return None;
    }
    let (n, m) = (a.n as f64, b.n as f64);
    let df = (va + vb).powi(2) / (va * va / (n - 1.0) + vb * vb / (m - 1.0));
    let pooled = (((n - 1.0) * a.sd.powi(2) + (m - 1.0) * b.sd.powi(2)) / (n + m - 2.0)).sqrt();
    Some(tested(a.mean - b.mean, va + vb, df, pooled, (a.n, b.n), level))
}

/// The paired t-test of `first − second`. `None` for fewer than 2 pairs, or if all differ by the same value.
pub fn paired(first: &[f64], second: &[f64], weights: &[f64], level: f64) -> Option<Difference> {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let mean = Mean::compute(&differences, weights).filter(|mean| mean.squared_error > 0.0)?;
    Some(tested(mean.mean, mean.squared_error, mean.n as f64 - 1.0, mean.sd, (mean.n, mean.n), level))
}

fn tested(difference: f64, squared_error: f64, df: f64, sd: f64, n: (usize, usize), level: f64) -> Difference {
    let error = squared_error.sqrt();
    let half = t_quantile(0.5 + level / 2.0, df) * error;
    Difference {
        details: None,
        difference,
        squared_error,
        t: difference / error,
        df,
        p: t_two_sided(difference / error, df),
        low: difference - half,
        high: difference + half,
        d: difference / sd,
        d_low: (difference - half) / sd,
        d_high: (difference + half) / sd,
        sd,
        n_first: n.0,
        n_second: n.1,
    }
}

/// The difference of two independent shares, `a/n − b/m`, with Newcombe's interval (1998, method 10).
pub fn newcombe(a: f64, n: f64, b: f64, m: f64, level: f64) -> Option<(f64, Interval)> {
    let (first, second) = (of_share(a, n, level)?, of_share(b, m, level)?);
    let (p, q) = (a / n, b / m);
    let low = ((p - first.low).powi(2) + (second.high - q).powi(2)).sqrt();
    let high = ((first.high - p).powi(2) + (q - second.low).powi(2)).sqrt();
    Some((p - q, Interval { low: p - q - low, high: p - q + high }))
}

/// The result of two one-sided tests (Schuirmann 1987): whether a difference is within ±`margin`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equivalence {
    /// Margin, in the item's unit.
    pub margin: f64,
    pub p: f64,
    /// Whether p is below 5 %: "the same, for practical purposes". If not, a difference is not proven either.
    pub is_equivalent: bool,
}

/// Tests whether a difference is within ±`margin` (TOST).
pub fn equivalence(of: &Difference, margin: f64) -> Equivalence {
    let error = of.squared_error.sqrt();
    let above_low = 1.0 - t_cdf((of.difference + margin) / error, of.df);
    let below_high = t_cdf((of.difference - margin) / error, of.df);
    let p = above_low.max(below_high);
    Equivalence { margin, p, is_equivalent: p < ALPHA }
}

/// The difference of two effects, with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EffectGap {
    pub difference: f64,
    pub low: f64,
    pub high: f64,
}

/// Whether a contrast of two arms is the same among people and among twins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = AgreementOfEffects))]
pub struct Agreement {
    pub same_sign: bool,
    /// Whether both effects are significant at 5 %, or neither is.
    pub same_significance: bool,
    /// Twins' effect less people's.
    pub gap: EffectGap,
    /// Whether the people's interval contains the twins' effect.
    pub people_hold_twins: bool,
}

/// Compares two independent effects. The interval of their difference is Student's with Welch's degrees of freedom.
pub fn agreement(human: &Difference, twin: &Difference, level: f64) -> Agreement {
    let (vh, vt) = (human.squared_error, twin.squared_error);
    let df = (vh + vt).powi(2) / (vh * vh / human.df + vt * vt / twin.df);
    let difference = twin.difference - human.difference;
    let half = t_quantile(0.5 + level / 2.0, df) * (vh + vt).sqrt();
    Agreement {
        same_sign: human.difference.signum() == twin.difference.signum(),
        same_significance: human.is_significant() == twin.is_significant(),
        gap: EffectGap { difference, low: difference - half, high: difference + half },
        people_hold_twins: human.interval().contains(twin.difference),
    }
}
