use std::collections::BTreeSet;

use serde::Serialize;

use super::item::{MetricValue, metrics};
use super::overall::mean_accuracy;
use super::pairs::{Both, Pairing};
use super::{Item, ItemKind, Respondents, Settings};
use crate::intervals::Estimate;
use crate::metrics::{Answers, Metric, Scale};

/// The metrics that are shown for a subgroup.
const SUBGROUP_METRICS: [Metric; 3] = [Metric::Accuracy, Metric::Glass, Metric::SdRatio];

/// People with one value of an attribute, and their twins.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Subgroup {
    #[cfg_attr(feature = "openapi", schema(example = "Gender"))]
    pub attribute: String,
    #[cfg_attr(feature = "openapi", schema(example = "Female"))]
    pub value: String,
    pub pairs: usize,
    /// Accuracy: the mean over items.
    pub accuracy: Estimate,
    /// Accuracy here less accuracy among all other people. The bootstrap resamples both.
    pub gap: Option<Estimate>,
    pub questions: Vec<SubgroupItem>,
}

/// A question, or a row of a matrix, in a subgroup.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SubgroupItem {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub metrics: Vec<MetricValue>,
}

/// Compares subgroups: the levels of the people's attributes (or of the twins', if people have none) that enough pairs
/// have. Leaves out the attributes in `ungrouped`.
pub(super) fn subgroups(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    ungrouped: &BTreeSet<String>,
    settings: Settings,
) -> Vec<Subgroup> {
    let names: BTreeSet<&String> = people.attributes.keys().chain(twins.attributes.keys()).collect();
    let names = names.into_iter().filter(|name| !ungrouped.contains(*name));
    let mut found = Vec::new();
    for name in names {
        let level_of = |(person, twin): &(usize, usize)| match people.attributes.get(name) {
            Some(levels) => levels[*person].as_deref(),
            None => twins.attributes.get(name).and_then(|levels| levels[*twin].as_deref()),
        };
        let of_pairs: Vec<Option<&str>> = pairing.pairs.iter().map(level_of).collect();
        let levels: BTreeSet<&str> = of_pairs.iter().flatten().copied().collect();
        for level in levels {
            let inside: Vec<bool> = of_pairs.iter().map(|of_pair| *of_pair == Some(level)).collect();
            let pairs = inside.iter().filter(|inside| **inside).count();
            if pairs >= settings.min_subgroup {
                found.extend(subgroup(items, people, twins, pairing, (name, level, &inside, pairs), settings));
            }
        }
    }
    found
}

fn subgroup(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    (attribute, level, inside, pairs): (&str, &str, &[bool], usize),
    settings: Settings,
) -> Option<Subgroup> {
    let all: Vec<(&Item, Scale, Both)> = items
        .iter()
        .filter_map(|item| match item.kind {
            ItemKind::Single { scale, .. } => {
                Some((item, scale, Both::collect(&item.name, people, twins, pairing, |_| true)))
            }
            ItemKind::Multiple { .. } => None,
        })
        .collect();
    let ready: Vec<(Scale, Answers, &Both)> =
        all.iter().map(|(_, scale, both)| (*scale, Answers::new(*scale, &both.human, &both.twin), both)).collect();
    // People on the other side of the split have weight 0.
    let accuracy = |counts: &[f64], side: bool| {
        let here: Vec<f64> =
            counts.iter().zip(inside).map(|(count, at)| if *at == side { *count } else { 0.0 }).collect();
        mean_accuracy(&ready, &here)
    };
    let ones = vec![1.0; pairing.pairs.len()];
    let value = accuracy(&ones, true)?;
    let everybody = [pairing.pairs.len()];
    let interval = settings.bootstrap.interval("subgroup accuracy", &everybody, |counts| accuracy(&counts[0], true));
    let gap = |counts: &[f64]| Some(accuracy(counts, true)? - accuracy(counts, false)?);
    let of_gap = |value| {
        let interval = settings.bootstrap.interval("subgroup gap", &everybody, |counts| gap(&counts[0]));
        Estimate::new(value, pairs.min(inside.len() - pairs), interval)
    };
    let of_item = |(item, scale, _): &(&Item, Scale, Both)| {
        let both = Both::collect(&item.name, people, twins, pairing, |place| inside[place]);
        SubgroupItem { name: item.name.clone(), metrics: metrics(*scale, &both, &SUBGROUP_METRICS, settings) }
    };
    Some(Subgroup {
        attribute: attribute.to_owned(),
        value: level.to_owned(),
        pairs,
        accuracy: Estimate::new(value, pairs, interval),
        gap: gap(&ones).map(of_gap),
        questions: all.iter().map(of_item).filter(|item| !item.metrics.is_empty()).collect(),
    })
}
