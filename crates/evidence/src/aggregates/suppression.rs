use std::collections::{BTreeMap, BTreeSet};

use super::{Tallies, Value};
use crate::compare::ItemKind;

/// Minimum number of people in a cell that is shown to readers who may not see the rows.
pub const MIN_PEOPLE_SHOWN: usize = 5;

/// Returns the values of an item whose counts would reveal single people. A suppressed value is left out in every arm
/// and in the whole, since otherwise it would follow from the other counts. If any value is suppressed, at least two
/// are, and their people add up to 0 or at least [`MIN_PEOPLE_SHOWN`] in every group, so that no count follows from the
/// group's sum either.
///
/// For an item with several answers, an option is suppressed if few people chose it, or few did not: the counts of
/// options have no sum.
pub fn suppressed(kind: &ItemKind, arms: &BTreeMap<String, Tallies>) -> BTreeSet<Value> {
    let mut left_out = BTreeSet::new();
    let n = |group: &Tallies, value: Value| group.by_value.get(&value).map_or(0, |tally| tally.n);
    let is_small = |count: usize| (1..MIN_PEOPLE_SHOWN).contains(&count);
    if let ItemKind::Multiple { labels } = kind {
        let options = (1..=labels.len()).map(|place| Value(place as f64));
        let tells = |value: &Value| {
            arms.values().any(|group| is_small(n(group, *value)) || is_small(group.all.n - n(group, *value)))
        };
        return options.filter(tells).collect();
    }
    let mut values: Vec<Value> =
        arms.values().flat_map(|group| group.by_value.keys().copied()).collect::<BTreeSet<_>>().into_iter().collect();
    for group in arms.values() {
        left_out.extend(values.iter().copied().filter(|value| is_small(n(group, *value))));
    }
    if left_out.is_empty() {
        return left_out;
    }
    // Suppressing the rarest values first loses the fewest answers.
    values.sort_by_key(|value| arms.values().map(|group| n(group, *value)).sum::<usize>());
    let tells = |left_out: &BTreeSet<Value>| {
        left_out.len() < 2
            || arms.values().any(|group| is_small(left_out.iter().map(|value| n(group, *value)).sum::<usize>()))
    };
    for value in values {
        if !tells(&left_out) {
            break;
        }
        left_out.insert(value);
    }
    left_out
}
