//! Diagnostics of twins that are too much alike.

use super::{Diagnostic, Finding, Thresholds};
use crate::metrics::sd_ratio;
use crate::sample::ones;

/// The share of the most frequent answer to an item. `None` without answers.
pub fn modal_answer(item: &str, twins: &[f64], thresholds: &Thresholds) -> Option<Finding> {
    let mode = *crate::baselines::modal(twins).first()?;
    let share = twins.iter().filter(|value| **value == mode).count() as f64 / twins.len() as f64;
    Some(Finding::above(Diagnostic::ModalAnswer, item, share, thresholds.modal_share, twins.len()))
}

/// The spread of twins over that of people, or of a validation's people. `None` if all people answer the same.
pub fn spread(item: &str, people: &[f64], twins: &[f64], thresholds: &Thresholds) -> Option<Finding> {
    let ratio = sd_ratio(people, &ones(people.len()), twins, &ones(twins.len()))?;
    Some(Finding::below(Diagnostic::Spread, item, ratio, thresholds.sd_ratio, twins.len()))
}
