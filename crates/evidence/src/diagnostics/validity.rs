//! Diagnostics of requests that were not answered at the first try, or not at all.

use std::collections::BTreeMap;

use super::{Diagnostic, Finding, Thresholds};
use crate::effects::newcombe;

/// Numbers of requests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    pub requests: usize,
    pub valid_at_first_try: usize,
    pub refused: usize,
}

/// The share of requests with a valid answer at the first try. `None` without requests.
pub fn validity(of: &str, attempts: Attempts, thresholds: &Thresholds) -> Option<Finding> {
    let share = attempts.valid_at_first_try as f64 / attempts.requests as f64;
    (attempts.requests > 0)
        .then(|| Finding::below(Diagnostic::Validity, of, share, thresholds.valid, attempts.requests))
}

/// Refusal rate of each subgroup less that of all others. Warns if the gap is above its threshold and its interval is
/// above 0, because one refusal in a small group is no pattern.
pub fn refusals(groups: &BTreeMap<String, Attempts>, thresholds: &Thresholds) -> Vec<Finding> {
    let (requests, refused) =
        groups.values().fold((0, 0), |sum, group| (sum.0 + group.requests, sum.1 + group.refused));
    let large = groups.iter().filter(|(_, group)| group.requests >= thresholds.least_group);
    let finding = |(name, group): (&String, &Attempts)| {
        let (others, others_refused) = ((requests - group.requests) as f64, (refused - group.refused) as f64);
        let level = 1.0 - 0.05 / groups.len() as f64;
        let (gap, interval) = newcombe(group.refused as f64, group.requests as f64, others_refused, others, level)?;
        let finding = Finding::above(Diagnostic::Refusals, name, gap, thresholds.valid_gap, group.requests);
        Some(finding.and(interval.low > 0.0))
    };
    large.filter_map(finding).collect()
}

/// The share of attention checks passed. Models pass nearly all, so a high share proves nothing.
pub fn attention(passed: usize, checks: usize, thresholds: &Thresholds) -> Option<Finding> {
    let share = passed as f64 / checks as f64;
    (checks > 0).then(|| Finding::below(Diagnostic::Attention, "", share, thresholds.attention, checks))
}

/// Number of twins that saw a text of the item with an empty pipe. `shown` is the number of twins that saw the item.
pub fn empty_pipes(item: &str, twins: usize, shown: usize, thresholds: &Thresholds) -> Option<Finding> {
    (shown > 0).then(|| Finding::above(Diagnostic::EmptyPipes, item, twins as f64, thresholds.empty_pipes, shown))
}
