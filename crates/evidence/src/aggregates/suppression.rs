use std::collections::{BTreeMap, BTreeSet};

use super::{Tallies, Value};
use crate::compare::ItemKind;

/// A cell of fewer people is not shown to readers who do not have the rows.
pub const LEAST_PEOPLE_SHOWN: usize = 5;

/// The values of an item whose counts tell too much of single people, by its arms. Each is left out of every arm and of the
/// whole, since a cell that is left out once follows from the others. Where some are left out there are at least two, who are
/// together nobody or at least [`LEAST_PEOPLE_SHOWN`] in every group, so that no count follows from the group's sum either.
///
/// Of several answers an option is left out that a few people chose, or did not: options make no sum together.
pub fn suppressed(kind: &ItemKind, arms: &BTreeMap<String, Tallies>) -> BTreeSet<Value> {
    let mut left_out = BTreeSet::new();
    let n = |group: &Tallies, value: Value| group.by_value.get(&value).map_or(0, |tally| tally.n);
    let is_small = |count: usize| (1..LEAST_PEOPLE_SHOWN).contains(&count);
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
    // The rarest go first.
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
