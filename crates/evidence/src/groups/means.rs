//! Welch's tests: whether the means of groups, which may vary differently, are the same.

use super::{EffectMeasure, TestFigures, TestMethod};
use crate::distributions::f_above;
use crate::effects::welch;
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
    Some(TestFigures {
        method: TestMethod::WelchAnova,
        statistic,
        df,
        df2: Some(df2),
        p: f_above(statistic, df, df2),
        measure: EffectMeasure::EtaSquared,
        effect,
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
