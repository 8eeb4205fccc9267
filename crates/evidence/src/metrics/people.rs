//! Correlations over items instead of over people. Rows are people, columns items; `None` where an item was not
//! answered.

use super::pearson;
use crate::sample::{mean, ones, sd};

/// r within person: how well a twin knows in which answers its person differs from others. Each item is standardised (z
/// by the people's mean and sd, for both sides), then Pearson's r is taken over the items of one person and its twin.
/// Returns the weighted mean over people with at least 3 common items, and each person's r with its weight.
pub fn correlation_within_people(
    human: &[Vec<Option<f64>>],
    twin: &[Vec<Option<f64>>],
    weights: &[f64],
) -> Option<(f64, Vec<(f64, f64)>)> {
    let items = human.first()?.len();
    let footing: Vec<Option<(f64, f64)>> = (0..items)
        .map(|item| {
            let answered = human.iter().zip(weights).filter_map(|(row, weight)| Some(((*row.get(item)?)?, *weight)));
            let (answers, weights): (Vec<f64>, Vec<f64>) = answered.unzip();
            Some((mean(&answers, &weights)?, sd(&answers, &weights).filter(|sd| *sd > 0.0)?))
        })
        .collect();
    let of_person = |(h, t): (&Vec<Option<f64>>, &Vec<Option<f64>>)| {
        let common = h.iter().zip(t).zip(&footing).filter_map(|((h, t), footing)| {
            let (mean, sd) = (*footing)?;
            Some((((*h)? - mean) / sd, ((*t)? - mean) / sd))
        });
        let (h, t): (Vec<f64>, Vec<f64>) = common.unzip();
        if h.len() < 3 { None } else { pearson(&h, &t, &ones(h.len())) }
    };
    let weighted = human.iter().zip(twin).zip(weights);
    let each: Vec<(f64, f64)> = weighted.filter_map(|(pair, weight)| Some((of_person(pair)?, *weight))).collect();
    let (r, weights): (Vec<f64>, Vec<f64>) = each.iter().copied().unzip();
    Some((mean(&r, &weights)?, each))
}

/// r of item means: Pearson's r over items of (mean of people, mean of twins), both scaled to the item's range. It
/// shows how well aggregates are ranked, regardless of the people's spread. `None` for fewer than 3 items.
pub fn correlation_of_means(human: &[f64], twin: &[f64]) -> Option<f64> {
    if human.len() < 3 { None } else { pearson(human, twin, &ones(human.len())) }
}
