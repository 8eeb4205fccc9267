//! Diagnostics of twins that answer the form instead of the question. Rows are twins, columns the rows of a matrix.

use super::{Diagnostic, Finding, Thresholds};

/// The share of twins that gave one answer throughout a matrix. `None` for a matrix with few rows. Warns against the
/// threshold, and against people's share if it is known.
pub fn straight_lining(
    matrix: &str,
    twins: &[Vec<f64>],
    people: Option<&[Vec<f64>]>,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let long = |rows: &[Vec<f64>]| -> Vec<(usize, usize)> {
        let long = rows.iter().filter(|row| row.len() >= thresholds.least_rows);
        long.map(|row| (longest_string(row), row.len())).collect()
    };
    let share = |strings: &[(usize, usize)]| {
        let straight = strings.iter().filter(|(longest, rows)| longest == rows).count();
        (!strings.is_empty()).then(|| straight as f64 / strings.len() as f64)
    };
    let of_twins = long(twins);
    let value = share(&of_twins)?;
    let limit = limit(
        thresholds.straight_lining,
        people.and_then(|people| share(&long(people))),
        thresholds.straight_lining_above_people,
    );
    let longest = of_twins.iter().map(|(longest, _)| *longest as f64).sum::<f64>() / of_twins.len() as f64;
    let finding = Finding::above(Diagnostic::StraightLining, matrix, value, limit, of_twins.len());
    Some(finding.noting(format!("the longest run of one answer has {longest:.1} rows on average")))
}

/// Length of the longest run of one answer.
pub fn longest_string(answers: &[f64]) -> usize {
    answers.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0)
}

/// Returns the threshold, or the people's share plus `above` if that is lower.
fn limit(threshold: f64, people: Option<f64>, above: f64) -> f64 {
    people.map_or(threshold, |share| threshold.min(share + above))
}

/// An item of a scale whose items point both ways. `twins[i]` is twin i's answer as given, from 1 to K; K is full
/// agreement.
#[derive(Clone, Copy, Debug)]
pub struct BalancedItem<'a> {
    pub twins: &'a [Option<f64>],
    pub categories: usize,
    /// Whether agreement means the opposite of what the scale measures.
    pub is_reversed: bool,
}

impl BalancedItem<'_> {
    /// Agreement of a twin, 0 to 1.
    fn agreement(&self, twin: usize) -> Option<f64> {
        Some((self.twins.get(twin).copied().flatten()? - 1.0) / (self.categories as f64 - 1.0))
    }
}

/// Mean agreement over the items of both keys. Each key has half the weight, so that what the scale measures cancels.
/// `None` unless there are items of both keys.
pub fn acquiescence(scale: &str, items: &[BalancedItem], thresholds: &Thresholds) -> Option<Finding> {
    let of_key = |is_reversed: bool| {
        let of_key = items.iter().filter(|item| item.is_reversed == is_reversed);
        mean(of_key.flat_map(|item| (0..item.twins.len()).filter_map(|twin| item.agreement(twin))))
    };
    let value = f64::midpoint(of_key(false)?, of_key(true)?) - 0.5;
    let n = items.iter().map(|item| item.twins.iter().flatten().count()).max().unwrap_or(0);
    Some(Finding::above(Diagnostic::Acquiescence, scale, value, thresholds.acquiescence, n))
}

/// The share of twins whose mean agreement is above the middle with the items of a scale and with its reversed items.
/// `None` unless there are items of both keys. Warns against the threshold, and against people's share if it is known.
pub fn mixed_keys(
    scale: &str,
    twins: &[BalancedItem],
    people: Option<&[BalancedItem]>,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let means = of_both_keys(twins);
    let value = share(&means, |agreement| agreement > 0.5)?;
    let people = people.and_then(|people| share(&of_both_keys(people), |agreement| agreement > 0.5));
    let limit = limit(thresholds.mixed_keys, people, thresholds.mixed_keys_above_people);
    let top = share(&means, |agreement| agreement >= 1.0)?;
    let finding = Finding::above(Diagnostic::MixedKeys, scale, value, limit, means.len());
    Some(finding.noting(format!("{:.0} % took the top answer to all of them", 100.0 * top)))
}

/// The mean agreement (0 to 1) with an item that is marked as desirable, above the middle. `None` without answers.
pub fn desirability(item: &str, agreement: &[f64], thresholds: &Thresholds) -> Option<Finding> {
    let value = mean(agreement.iter().copied())? - 0.5;
    let top = agreement.iter().filter(|agreement| **agreement >= 1.0).count() as f64 / agreement.len() as f64;
    let finding = Finding::above(Diagnostic::Desirability, item, value, thresholds.desirability, agreement.len());
    Some(finding.noting(format!("{:.0} % took the top answer", 100.0 * top)))
}

/// Returns the mean agreement with the items of each key, for each twin with answers to both.
fn of_both_keys(items: &[BalancedItem]) -> Vec<[f64; 2]> {
    let twins = items.iter().map(|item| item.twins.len()).max().unwrap_or(0);
    let of_key = |twin: usize, is_reversed: bool| {
        mean(items.iter().filter(|item| item.is_reversed == is_reversed).filter_map(|item| item.agreement(twin)))
    };
    (0..twins).filter_map(|twin| Some([of_key(twin, false)?, of_key(twin, true)?])).collect()
}

fn share(means: &[[f64; 2]], holds: impl Fn(f64) -> bool) -> Option<f64> {
    let both = means.iter().filter(|of_keys| of_keys.iter().all(|mean| holds(*mean))).count();
    (!means.is_empty()).then(|| both as f64 / means.len() as f64)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
