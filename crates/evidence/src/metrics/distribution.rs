//! Distances between the two sides' distributions. They need no pairs.

use crate::sample::{ascending, total};

/// The share of each category 1 to K. `None` without weight. Ignores values outside 1 to K, which files read by this
/// crate do not have.
pub fn shares(values: &[f64], weights: &[f64], categories: usize) -> Option<Vec<f64>> {
    let total = total(weights);
    if total <= 0.0 {
        return None;
    }
    let mut shares = vec![0.0; categories];
    for (value, weight) in values.iter().zip(weights) {
        if let Some(share) = shares.get_mut((*value as usize).wrapping_sub(1)) {
            *share += weight / total;
        }
    }
    Some(shares)
}

/// Total variation distance, `½Σ|p−q|`, 0 to 1: the share of answers that would have to change.
pub fn total_variation(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0
}

/// Jensen-Shannon divergence in bits, 0 to 1 (Lin 1991), without smoothing.
pub fn jensen_shannon(p: &[f64], q: &[f64]) -> f64 {
    let middle: Vec<f64> = p.iter().zip(q).map(|(p, q)| (p + q) / 2.0).collect();
    (entropy(&middle) - entropy(p) / 2.0 - entropy(q) / 2.0).max(0.0)
}

/// Shannon's entropy in bits; 0 if there is only one answer.
pub fn entropy(shares: &[f64]) -> f64 {
    shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.log2()).sum()
}

/// `(H(twins) − H(people))/log2 K`, −1 to 1: below 0 the twins use fewer of the options.
pub fn entropy_gap(people: &[f64], twins: &[f64]) -> f64 {
    (entropy(twins) - entropy(people)) / (people.len().max(2) as f64).log2()
}

/// Both sides' values in one ascending order, from which the distances of their distribution functions follow for any
/// weights.
pub struct MergedOrder {
    /// The value, whether it is a twin's, and its position on its side.
    order: Vec<(f64, bool, usize)>,
    human_range: Option<f64>,
}

impl MergedOrder {
    pub fn new(human: &[f64], twin: &[f64]) -> Self {
        let all: Vec<f64> = human.iter().chain(twin).copied().collect();
        let order = ascending(&all).into_iter().map(|place| match place.checked_sub(human.len()) {
            Some(twin_place) => (all[place], true, twin_place),
            None => (all[place], false, place),
        });
        let most = human.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = human.iter().copied().fold(f64::INFINITY, f64::min);
        Self { order: order.collect(), human_range: (!human.is_empty()).then_some(most - least) }
    }

    /// The people's highest answer less their lowest: the range if the scale has none.
    pub fn human_range(&self) -> Option<f64> {
        self.human_range
    }

    /// Returns `max |F_h − F_t|` (Kolmogorov-Smirnov) and the area between the two functions in the values' unit
    /// (Wasserstein-1).
    pub fn distances(&self, people: &[f64], twins: &[f64]) -> Option<(f64, f64)> {
        let (all_people, all_twins) = (total(people), total(twins));
        if all_people <= 0.0 || all_twins <= 0.0 {
            return None;
        }
        let (mut gap, mut largest, mut area) = (0.0_f64, 0.0_f64, 0.0);
        let mut before: Option<f64> = None;
        for (value, is_twin, place) in &self.order {
            let step = value - before.unwrap_or(*value);
            if step > 0.0 {
                largest = largest.max(gap.abs());
                area += gap.abs() * step;
            }
            gap += if *is_twin { -twins[*place] / all_twins } else { people[*place] / all_people };
            before = Some(*value);
        }
        Some((largest, area))
    }
}

/// p of the Kolmogorov-Smirnov distance of two samples of `n` and `m` answers (Kish's n if they have weights), by its
/// limit distribution. Valid for continuous answers only.
pub fn kolmogorov_smirnov_p(distance: f64, n: f64, m: f64) -> f64 {
    crate::distributions::kolmogorov_above(distance * (n * m / (n + m)).sqrt())
}
