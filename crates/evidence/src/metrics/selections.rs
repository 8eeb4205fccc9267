//! Metrics of questions with several answers. A selection says for each option whether the person chose it.

use crate::sample::total;

/// Jaccard's index of each pair, |both| / |either|, and its mean, 0 to 1. Two empty selections are equal and count 1.
pub fn jaccard(human: &[Vec<bool>], twin: &[Vec<bool>], weights: &[f64]) -> Option<f64> {
    let total = total(weights);
    let scores = human.iter().zip(twin).zip(weights).map(|((h, t), weight)| {
        let both = h.iter().zip(t).filter(|(h, t)| **h && **t).count() as f64;
        let either = h.iter().zip(t).filter(|(h, t)| **h || **t).count() as f64;
        weight * if either > 0.0 { both / either } else { 1.0 }
    });
    (total > 0.0).then(|| scores.sum::<f64>() / total)
}

/// The share of people who chose each option.
pub fn option_shares(selections: &[Vec<bool>], weights: &[f64], options: usize) -> Option<Vec<f64>> {
    let total = total(weights);
    let share = |option: usize| {
        let chosen = selections.iter().zip(weights).filter(|(chosen, _)| chosen.get(option) == Some(&true));
        chosen.map(|(_, weight)| weight).sum::<f64>() / total
    };
    (total > 0.0).then(|| (0..options).map(share).collect())
}
