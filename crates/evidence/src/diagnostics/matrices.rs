//! Twins that answer the form instead of the question. Rows are twins, columns the rows of a matrix.

use super::{Diagnostic, Finding, Thresholds};

/// The share of twins that gave one answer throughout a matrix; `None` for a matrix of few rows. Warns against the
/// threshold, and against people's share where there are people.
pub fn straight_lining(
    matrix: &str,
    twins: &[Vec<f64>],
    people: Option<&[Vec<f64>]>,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let share = |rows: &[Vec<f64>]| {
        let long: Vec<&Vec<f64>> = rows.iter().filter(|row| row.len() >= thresholds.least_rows).collect();
        let straight = long.iter().filter(|row| longest_string(row) == row.len()).count();
        (!long.is_empty()).then(|| straight as f64 / long.len() as f64)
    };
    let value = share(twins)?;
    let mut limit = thresholds.straight_lining;
    if let Some(people) = people.and_then(share) {
        limit = limit.min(people + thresholds.straight_lining_above_people);
    }
    Some(Finding::above(Diagnostic::StraightLining, matrix, value, limit, twins.len()))
}

/// The longest run of one and the same answer.
pub fn longest_string(answers: &[f64]) -> usize {
    answers.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0)
}

/// An item of a scale whose items point both ways. `twins[i]` is twin i's answer as given, 1 to K, K is full agreement.
#[derive(Clone, Copy, Debug)]
pub struct BalancedItem<'a> {
    pub twins: &'a [f64],
    pub categories: usize,
    /// Agreement means the opposite of what the scale measures.
    pub is_reversed: bool,
}

impl BalancedItem<'_> {
    /// Agreement of a twin, 0 to 1.
    fn agreement(&self, twin: usize) -> Option<f64> {
        Some((self.twins.get(twin)? - 1.0) / (self.categories as f64 - 1.0))
    }
}

/// Mean agreement over the items of both keys, each key with half the weight, so that what the scale measures cancels.
/// `None` unless there are items of both keys.
pub fn acquiescence(scale: &str, items: &[BalancedItem], thresholds: &Thresholds) -> Option<Finding> {
    let mean = |is_reversed: bool| {
        let of_key = items.iter().filter(|item| item.is_reversed == is_reversed);
        let all: Vec<f64> =
            of_key.flat_map(|item| (0..item.twins.len()).filter_map(|twin| item.agreement(twin))).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    };
    let value = f64::midpoint(mean(false)?, mean(true)?) - 0.5;
    let n = items.iter().map(|item| item.twins.len()).max().unwrap_or(0);
    Some(Finding::above(Diagnostic::Acquiescence, scale, value, thresholds.acquiescence, n))
}

/// The share of twins that agree with an item and with its reverse.
pub fn agrees_with_both(item: BalancedItem, reverse: BalancedItem) -> Option<f64> {
    share(item, reverse, |agreement| agreement > 0.5)
}

/// The share of twins that take the top answer of an item and of its reverse.
pub fn top_box(item: BalancedItem, reverse: BalancedItem) -> Option<f64> {
    share(item, reverse, |agreement| agreement >= 1.0)
}

fn share(item: BalancedItem, reverse: BalancedItem, holds: impl Fn(f64) -> bool) -> Option<f64> {
    let twins = item.twins.len().min(reverse.twins.len());
    let both = (0..twins).filter(|twin| [item, reverse].iter().all(|item| item.agreement(*twin).is_some_and(&holds)));
    (twins > 0).then(|| both.count() as f64 / twins as f64)
}
