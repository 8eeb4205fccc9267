use std::collections::{BTreeMap, BTreeSet};

use super::pairs::Pairing;
use super::{Comparison, Item, ItemKind, Respondents, RowKey};
use crate::diagnostics::{Diagnostic, Finding, Thresholds, instability, stereotyping, subgroup_errors};
use crate::intervals::Bootstrap;
use crate::metrics::Metric;

/// Maximum number of levels of an attribute that makes groups.
const MAX_GROUPS: usize = 20;

/// Diagnoses the pitfalls that need people's answers or repeats: too little spread, subgroups with worse twins, groups
/// that twins follow more than people do, and unstable answers. `repeats` are the twins, once for each time that they
/// were asked; `attributes` are those of either side that make groups.
pub fn pitfalls(
    items: &[Item],
    people: &Respondents,
    repeats: &[Respondents],
    of: &Comparison,
    attributes: &[String],
    thresholds: &Thresholds,
    bootstrap: Bootstrap,
) -> Vec<(Diagnostic, Vec<Finding>)> {
    let spreads = of.questions.iter().filter_map(|item| {
        let ratio = item.metrics.iter().find(|metric| metric.metric == Metric::SdRatio.name())?;
        let value = ratio.estimate.value;
        Some(Finding {
            diagnostic: Diagnostic::Spread,
            of: item.name.clone(),
            value,
            threshold: thresholds.sd_ratio,
            n: item.n_twins,
            warns: value < thresholds.sd_ratio,
            note: None,
        })
    });
    let groups = match repeats.first().map(|twins| (twins, Pairing::new(people, twins))) {
        Some((twins, Ok(pairing))) => followed(items, people, twins, &pairing, attributes, thresholds, bootstrap),
        _ => Vec::new(),
    };
    let again = items
        .iter()
        .filter_map(|item| instability(&item.name, &rows(item, repeats)?, item.is_only_named(), thresholds));
    vec![
        (Diagnostic::Instability, again.collect()),
        (Diagnostic::Spread, spreads.collect()),
        (Diagnostic::SubgroupError, subgroup_errors(&of.groups)),
        (Diagnostic::Stereotyping, groups),
    ]
}

/// Finds attributes that explain more of the twins' answers than of their own people's.
fn followed(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    attributes: &[String],
    thresholds: &Thresholds,
    bootstrap: Bootstrap,
) -> Vec<Finding> {
    let names: BTreeSet<&String> = attributes.iter().collect();
    let mut found = Vec::new();
    for name in names {
        let level = |person: usize, twin: usize| match people.attributes.get(name) {
            Some(levels) => levels.get(person)?.clone(),
            None => twins.attributes.get(name)?.get(twin)?.clone(),
        };
        for item in items {
            let ItemKind::Single { scale, .. } = &item.kind else { continue };
            if !scale.is_ordered() {
                continue;
            }
            let (mut groups, mut human, mut twin) = (Vec::new(), Vec::new(), Vec::new());
            for (person, own) in &pairing.pairs {
                let both = people.number(&item.name, *person).zip(twins.number(&item.name, *own));
                if let Some(((h, t), group)) = both.zip(level(*person, *own)) {
                    groups.push(group);
                    human.push(h);
                    twin.push(t);
                }
            }
            let levels = groups.iter().collect::<BTreeSet<_>>().len();
            if groups.len() < thresholds.least_group || !(2..=MAX_GROUPS).contains(&levels) {
                continue;
            }
            let of = format!("{name}: {}", item.name);
            found.extend(stereotyping(&of, &groups, &human, &twin, bootstrap, thresholds));
        }
    }
    found
}

/// Returns the answers of each twin in every repeat. `None` without repeats, or if the item takes several answers.
fn rows(item: &Item, repeats: &[Respondents]) -> Option<Vec<Vec<f64>>> {
    let ItemKind::Single { .. } = item.kind else { return None };
    let (first, others) = repeats.split_first().filter(|(_, others)| !others.is_empty())?;
    let places: Vec<BTreeMap<RowKey, usize>> =
        others.iter().map(|side| (0..side.ids.len()).map(|row| (side.key(row, true), row)).collect()).collect();
    let of_twin = |row: usize| {
        let again = others
            .iter()
            .zip(&places)
            .map(|(side, places)| side.number(&item.name, *places.get(&first.key(row, true))?));
        std::iter::once(first.number(&item.name, row)).chain(again).collect::<Option<Vec<f64>>>()
    };
    Some((0..first.ids.len()).filter_map(of_twin).collect())
}
