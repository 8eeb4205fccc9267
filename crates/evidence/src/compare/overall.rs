use serde::Serialize;

use super::pairs::{Both, Pairing};
use super::{Item, ItemKind, Respondents, Settings};
use crate::intervals::Estimate;
use crate::metrics::{Answers, Metric, Scale, correlation_of_means, correlation_within_people, mean_correlation};
use crate::sample::effective_n;

/// Figures over all questions with one answer. Figures that need pairs are null without them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Overall {
    /// Accuracy: the mean over items. The bootstrap resamples people with all their answers.
    pub accuracy: Option<Estimate>,
    /// Fisher's mean of the items' r, weighted by their n. The bootstrap resamples people.
    pub r: Option<Estimate>,
    /// Mean over people of r over the items of one person; n is the number of people.
    pub r_within_person: Option<Estimate>,
    /// r of people's and twins' item means, scaled to each item's range; n is the number of items.
    pub r_of_item_means: Option<Estimate>,
}

pub(super) fn overall(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    settings: Settings,
) -> Overall {
    let all: Vec<(Scale, &str, Both)> = items
        .iter()
        .filter_map(|item| match item.kind {
            ItemKind::Single { scale, .. } => {
                Some((scale, item.name.as_str(), Both::collect(&item.name, people, twins, pairing, |_| true)))
            }
            ItemKind::Multiple { .. } => None,
        })
        .filter(|(_, _, both)| !both.human.is_empty() && !both.twin.is_empty())
        .collect();
    let ready: Vec<(Scale, Answers, &Both)> =
        all.iter().map(|(scale, _, both)| (*scale, Answers::new(*scale, &both.human, &both.twin), both)).collect();
    Overall {
        accuracy: over_pairs(pairing, settings, "mean accuracy", |counts| mean_accuracy(&ready, counts)),
        r: over_pairs(pairing, settings, "mean r", |counts| mean_r(&ready, counts)),
        r_within_person: within(&all, people, twins, pairing, settings),
        r_of_item_means: of_means(&ready),
    }
}

/// A statistic of all pairs with its interval. `counts` are the numbers of times that each pair was drawn.
fn over_pairs(
    pairing: &Pairing,
    settings: Settings,
    name: &str,
    statistic: impl Fn(&[f64]) -> Option<f64>,
) -> Option<Estimate> {
    let n = pairing.pairs.len();
    let value = statistic(&vec![1.0; n]).filter(|_| pairing.is_paired())?;
    let interval = (n >= crate::intervals::MIN_PEOPLE)
        .then(|| settings.bootstrap.interval(name, &[n], |counts| statistic(&counts[0])))
        .flatten();
    Some(Estimate::new(value, n, interval))
}

fn drawn(both: &Both, counts: &[f64]) -> Vec<f64> {
    both.pairs.iter().zip(&both.people).map(|(pair, weight)| counts[*pair] * weight).collect()
}

pub(super) fn mean_accuracy(items: &[(Scale, Answers, &Both)], counts: &[f64]) -> Option<f64> {
    let each: Vec<f64> = items
        .iter()
        .filter_map(|(_, answers, both)| {
            let weights = drawn(both, counts);
            answers.value(Metric::Accuracy, &weights, &weights)
        })
        .collect();
    (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
}

fn mean_r(items: &[(Scale, Answers, &Both)], counts: &[f64]) -> Option<f64> {
    let ordered = items.iter().filter(|(scale, _, both)| scale.is_ordered() && both.human.len() >= 4);
    let each: Vec<(f64, usize)> = ordered
        .filter_map(|(_, answers, both)| {
            let weights = drawn(both, counts);
            let n = effective_n(&both.people)?.round() as usize;
            Some((answers.value(Metric::Pearson, &weights, &weights)?, n))
        })
        .collect();
    mean_correlation(&each)
}

fn within(
    items: &[(Scale, &str, Both)],
    people: &Respondents,
    twins: &Respondents,
    pairing: &Pairing,
    settings: Settings,
) -> Option<Estimate> {
    let names: Vec<&str> = items.iter().filter(|(scale, ..)| scale.is_ordered()).map(|(_, name, _)| *name).collect();
    let row = |side: &Respondents, row: usize| names.iter().map(|name| side.number(name, row)).collect::<Vec<_>>();
    let human: Vec<_> = pairing.pairs.iter().map(|(person, _)| row(people, *person)).collect();
    let twin: Vec<_> = pairing.pairs.iter().map(|(_, place)| row(twins, *place)).collect();
    let weights: Vec<f64> = pairing.pairs.iter().map(|(person, _)| people.weight(*person)).collect();
    let (value, each) = correlation_within_people(&human, &twin, &weights)?;
    let n = each.len();
    let (each, weights): (Vec<f64>, Vec<f64>) = each.into_iter().unzip();
    let interval = (n >= crate::intervals::MIN_PEOPLE)
        .then(|| {
            let mean = |counts: &[Vec<f64>]| {
                let drawn: Vec<f64> = counts[0].iter().zip(&weights).map(|(count, weight)| count * weight).collect();
                crate::sample::mean(&each, &drawn)
            };
            settings.bootstrap.interval("r within person", &[n], mean)
        })
        .flatten();
    Some(Estimate::new(value, n, interval))
}

/// r of item means. Items without a range have no common scale and are left out.
fn of_means(items: &[(Scale, Answers, &Both)]) -> Option<Estimate> {
    let scaled = items.iter().filter_map(|(scale, _, both)| {
        let least = match scale {
            Scale::Ordinal { .. } => 1.0,
            Scale::Interval { min, .. } => *min,
            Scale::Nominal { .. } | Scale::Unbounded => return None,
        };
        let range = scale.range().filter(|range| *range > 0.0)?;
        let (human, twin) =
            (crate::sample::mean(&both.human, &both.people)?, crate::sample::mean(&both.twin, &both.twins)?);
        Some(((human - least) / range, (twin - least) / range))
    });
    let (human, twin): (Vec<f64>, Vec<f64>) = scaled.unzip();
    let value = correlation_of_means(&human, &twin)?;
    Some(Estimate::new(value, human.len(), crate::intervals::of_correlation(value, human.len(), 0.95)))
}
