//! Twins that are better than they can be.

use super::{Diagnostic, Finding};
use crate::effects::newcombe;
use crate::intervals::{Estimate, Interval};

/// Accuracy above the interval of the people's own retest: the twins have probably seen the answers.
pub fn above_ceiling(of: &str, accuracy: &Estimate, ceiling: Interval) -> Finding {
    Finding::above(Diagnostic::Contamination, of, accuracy.value, ceiling.high, accuracy.n)
}

/// Normatively right answers on tasks that people get wrong: (right, n) of twins and of people. The value is the
/// difference; warns where its interval lies above 0. `None` without answers on a side.
pub fn hyper_rationality(task: &str, twins: (usize, usize), people: (usize, usize)) -> Option<Finding> {
    let (difference, interval) = newcombe(twins.0 as f64, twins.1 as f64, people.0 as f64, people.1 as f64, 0.95)?;
    let any = Finding::above(Diagnostic::HyperRationality, task, difference, 0.0, twins.1);
    Some(any.and(interval.low > 0.0))
}
