//! Welch's tests: whether the means of groups, which may vary differently, are the same.

use super::{EffectMeasure, TestFigures, TestMethod};
use crate::distributions::f_above;
use crate::effects::{Difference, welch};
use crate::intervals::Interval;
use crate::noncentral;
use crate::sample::Mean;

/// Welch's t of two groups; the effect is Cohen's d, the first group less the second. `None` if nobody differs from anybody.
pub fn welch_t(first: Mean, second: Mean) -> Option<TestFigures> {
    let found = welch(first, second, super::LEVEL)?;
    Some(TestFigures {
        method: TestMethod::WelchT,
        statistic: found.t,
        df: found.df,
        df2: None,
        p: found.p,
        measure: EffectMeasure::D,
        effect: found.d,
        interval: interval_of_d(&found),
        size: found.d.abs(),
        is_rough: false,
    })
}

/// Welch's analysis of variance (1951); the effect is η², the share of the variance that the groups explain. `None` without
/// two groups, or where the answers of a group are all alike.
pub fn welch_anova(groups: &[Mean]) -> Option<TestFigures> {
    if groups.len() < 2 || groups.iter().any(|group| group.squared_error <= 0.0) {
        return None;
    }
    let k = groups.len() as f64;
    let weights: Vec<f64> = groups.iter().map(|group| group.squared_error.recip()).collect();
    let weight: f64 = weights.iter().sum();
    let each = || groups.iter().zip(&weights);
    let centre = each().map(|(group, own)| own * group.mean).sum::<f64>() / weight;
    let between = each().map(|(group, own)| own * (group.mean - centre).powi(2)).sum::<f64>() / (k - 1.0);
    let unsure: f64 = each().map(|(group, own)| (1.0 - own / weight).powi(2) / (group.n as f64 - 1.0)).sum();
    let statistic = between / (1.0 + 2.0 * (k - 2.0) * unsure / (k * k - 1.0));
    let (df, df2) = (k - 1.0, (k * k - 1.0) / (3.0 * unsure));
    let effect = eta_squared(groups);
    let n = groups.iter().map(|group| group.n as f64).sum();
    Some(TestFigures {
        method: TestMethod::WelchAnova,
        statistic,
        df,
        df2: Some(df2),
        p: f_above(statistic, df, df2),
        measure: EffectMeasure::EtaSquared,
        effect,
        interval: interval_of_eta_squared(effect, n, (statistic, df, df2)),
        size: effect,
        is_rough: false,
    })
}

fn eta_squared(groups: &[Mean]) -> f64 {
    let n: f64 = groups.iter().map(|group| group.n as f64).sum();
    let grand = groups.iter().map(|group| group.n as f64 * group.mean).sum::<f64>() / n;
    let between: f64 = groups.iter().map(|group| group.n as f64 * (group.mean - grand).powi(2)).sum();
    let within: f64 = groups.iter().map(|group| (group.n as f64 - 1.0) * group.sd.powi(2)).sum();
    between / (between + within)
}

/// The interval of d: noncentral t with Welch's degrees of freedom, so that it holds where the groups vary differently, and leaves
/// out 0 where Welch's p is below .05.
fn interval_of_d(found: &Difference) -> Option<Interval> {
    let unit = found.squared_error.sqrt() / found.sd;
    let Interval { low, high } = noncentral::of_t(found.t, found.df, super::LEVEL)?;
    Some(Interval { low: low * unit, high: high * unit })
}

/// The interval of η² of `n` answers: noncentral F with Welch's statistic and degrees of freedom, on the
/// scale of the F that belongs to η².
fn interval_of_eta_squared(eta_squared: f64, n: f64, (statistic, df, df2): (f64, f64, f64)) -> Option<Interval> {
    let ratio = eta_squared / (1.0 - eta_squared);
    let of_equal_variances = ratio / df * (n - df - 1.0);
    let share = |noncentrality: f64| {
        let ratio = noncentrality * of_equal_variances / statistic / n;
        ratio / (1.0 + ratio)
    };
    let Interval { low, high } = noncentral::of_f(statistic, df, df2, super::LEVEL)?;
    Some(Interval { low: share(low), high: share(high) })
}
