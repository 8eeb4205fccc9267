//! Baselines: answers that need no model, which twins have to beat.

use std::collections::BTreeMap;

use crate::metrics::Scale;
use random::{below, generator, uniform};

/// Draws one answer for each person, evenly over the scale. An unbounded scale draws from the people's own answers.
pub fn uniform_random(scale: Scale, human: &[f64], seed: i64, item: &str) -> Vec<f64> {
    let mut random = generator(seed, &[b"uniform", item.as_bytes()]);
    let draw = |_: &f64| match scale {
        Scale::Nominal { categories } | Scale::Ordinal { categories } => 1.0 + below(categories, &mut random) as f64,
        Scale::Interval { min, max } => min + (max - min) * uniform(&mut random),
        Scale::Unbounded => human[below(human.len(), &mut random)],
    };
    human.iter().map(draw).collect()
}

/// Draws one answer for each person from all people's answers: the right distribution without any knowledge of the
/// person.
pub fn human_marginal(human: &[f64], seed: i64, item: &str) -> Vec<f64> {
    let mut random = generator(seed, &[b"marginal", item.as_bytes()]);
    human.iter().map(|_| human[below(human.len(), &mut random)]).collect()
}

/// The most frequent answer for everybody; of several, the lowest.
pub fn modal(human: &[f64]) -> Vec<f64> {
    let mut sorted = human.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut most: &[f64] = &[];
    for equal in sorted.chunk_by(|a, b| a == b) {
        if equal.len() > most.len() {
            most = equal;
        }
    }
    vec![most.first().copied().unwrap_or(f64::NAN); human.len()]
}

/// The median of all answers for everybody. Of two in the middle it is the lower one, which somebody gave.
pub fn median(human: &[f64]) -> Vec<f64> {
    let mut sorted = human.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len().checked_sub(1).map_or(f64::NAN, |last| sorted[last / 2]);
    vec![middle; human.len()]
}

/// The mean of all *other* people in the person's demographic cell, or of all others if the cell has nobody else. On a
/// scale of categories it is the cell's most frequent answer, because a mean is no answer there.
pub fn cell_mean(scale: Scale, human: &[f64], cells: &[String]) -> Vec<f64> {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (person, cell) in cells.iter().enumerate() {
        members.entry(cell).or_default().push(person);
    }
    let everybody: Vec<usize> = (0..human.len()).collect();
    let others = |person: usize| {
        let cell = members.get(cells[person].as_str()).filter(|cell| cell.len() > 1).unwrap_or(&everybody);
        cell.iter().filter(move |other| **other != person).map(|other| human[*other]).collect::<Vec<f64>>()
    };
    let of_person = |person: usize| {
        let others = others(person);
        match scale {
            Scale::Nominal { .. } => modal(&others).first().copied().unwrap_or(f64::NAN),
            _ => others.iter().sum::<f64>() / others.len() as f64,
        }
    };
    (0..human.len()).map(of_person).collect()
}
