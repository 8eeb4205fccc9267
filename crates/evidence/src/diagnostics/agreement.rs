//! Diagnostics of twins that are better than they can be.

use super::{Diagnostic, Finding};
use crate::distributions::t_quantile;
use crate::intervals::{Estimate, Interval, MIN_PEOPLE};
use crate::sample::{Mean, ones};

/// Coverage of the interval of the difference to people.
const LEVEL: f64 = 0.95;

/// Accuracy above the interval of the people's own retest: the twins have probably seen the answers.
pub fn above_ceiling(of: &str, accuracy: &Estimate, ceiling: Interval) -> Finding {
    Finding::above(Diagnostic::Contamination, of, accuracy.value, ceiling.high, accuracy.n)
}

/// A question whose text is marked as published: the value is 1, the threshold 0.
pub fn published(of: &str, twins: usize) -> Finding {
    Finding::above(Diagnostic::Contamination, of, 1.0, 0.0, twins)
}

/// Compares the shares of right answers to a task that people get wrong, for each twin and the person behind it. The
/// threshold is the people's share. Warns if the paired interval of the difference is above 0. `None` below 20 people,
/// because it would reveal what each of them answered.
pub fn hyper_rationality(task: &str, pairs: &[(f64, f64)]) -> Option<Finding> {
    if pairs.len() < MIN_PEOPLE {
        return None;
    }
    let (twins, people): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let weights = ones(pairs.len());
    let [twin, human] = [&twins, &people].map(|shares| crate::sample::mean(shares, &weights));
    let differences: Vec<f64> = pairs.iter().map(|(twin, person)| twin - person).collect();
    let is_above = pairs.len() >= MIN_PEOPLE
        && Mean::compute(&differences, &weights)
            .is_some_and(|of| of.mean > t_quantile(0.5 + LEVEL / 2.0, of.n as f64 - 1.0) * of.squared_error.sqrt());
    let any = Finding::above(Diagnostic::HyperRationality, task, twin?, human?, pairs.len());
    Some(any.and(is_above))
}
