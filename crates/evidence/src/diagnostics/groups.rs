//! Diagnostics of twins that are less accurate for some people, or more typical of their group than people are.

use std::collections::BTreeMap;

use super::{Diagnostic, Finding, Thresholds};
use crate::compare::Subgroup;
use crate::intervals::Bootstrap;

/// Finds subgroups whose accuracy differs from everybody else's: the interval of the gap excludes 0.
pub fn subgroup_errors(subgroups: &[Subgroup]) -> Vec<Finding> {
    let finding = |group: &Subgroup| {
        let gap = group.gap.as_ref()?;
        let of = format!("{}: {}", group.attribute, group.value);
        let any = Finding::above(Diagnostic::SubgroupError, &of, gap.value, 0.0, group.pairs);
        Some(Finding { warns: gap.interval().is_some_and(|interval| !interval.contains(0.0)), ..any })
    };
    subgroups.iter().filter_map(finding).collect()
}

/// Compares `η²` of an attribute among twins with that among the same people: above 1, twins follow their group more
/// than people do. Warns if the ratio is above the threshold and the paired bootstrap interval of the difference is
/// above 0. `None` for fewer than 2 groups, or if either side has no spread.
pub fn stereotyping(
    attribute: &str,
    groups: &[String],
    people: &[f64],
    twins: &[f64],
    bootstrap: Bootstrap,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let of_person: Vec<usize> = groups
        .iter()
        .map(|group| {
            let next = places.len();
            *places.entry(group).or_insert(next)
        })
        .collect();
    let levels = places.len();
    if levels < 2 {
        return None;
    }
    let both = |weights: &[f64]| {
        Some((eta_squared(people, &of_person, levels, weights)?, eta_squared(twins, &of_person, levels, weights)?))
    };
    let (human, twin) = both(&crate::sample::ones(people.len()))?;
    let interval = bootstrap
        .interval("stereotyping", &[people.len()], |counts| both(counts.first()?).map(|(human, twin)| twin - human))?;
    let ratio = if human > 0.0 { twin / human } else { f64::INFINITY };
    let any = Finding::above(Diagnostic::Stereotyping, attribute, ratio, thresholds.stereotyping, twins.len());
    Some(any.and(interval.low > 0.0))
}

/// Share of the variance that is between groups, 0 to 1.
fn eta_squared(values: &[f64], groups: &[usize], levels: usize, weights: &[f64]) -> Option<f64> {
    let whole = crate::sample::mean(values, weights)?;
    let spread = crate::sample::variance(values, weights).filter(|variance| *variance > 0.0)?;
    let mut sums = vec![(0.0, 0.0); levels];
    for ((value, group), weight) in values.iter().zip(groups).zip(weights) {
        let (sum, total) = &mut sums[*group];
        *sum += weight * value;
        *total += weight;
    }
    let squares =
        sums.iter().filter(|(_, total)| *total > 0.0).map(|(sum, total)| total * (sum / total - whole).powi(2));
    Some(squares.sum::<f64>() / crate::sample::total(weights) / spread)
}
