//! Distributions of numbers by five quantiles.
//!
//! Between two quantiles the distribution is even. Below the lowest and above the highest it goes on as steeply as in the
//! quarter beside it, as far as the question's bounds.

use serde::{Deserialize, Serialize};

/// The probabilities that an answer is below each quantile.
pub const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// The quantiles at [`LEVELS`], which do not decrease.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantiles(pub [f64; 5]);

/// A stretch of the distribution: the probability of it, and the numbers at its ends.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    probability: f64,
    from: f64,
    to: f64,
}

impl Quantiles {
    /// The quantiles of these numbers, by linear interpolation between them. `None`: there are no numbers.
    pub fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |level: f64| {
            let place = level * last as f64;
            let below = sorted.get(place.floor() as usize)?;
            let above = sorted.get(place.ceil() as usize)?;
            Some(below + (above - below) * place.fract())
        };
        let [a, b, c, d, e] = LEVELS.map(at);
        Some(Self([a?, b?, c?, d?, e?]))
    }

    /// The six stretches of the distribution of answers between these bounds.
    fn stretches(&self, (min, max): (Option<f64>, Option<f64>)) -> [Stretch; 6] {
        let [q5, q25, q50, q75, q95] = self.0;
        // The stretch beside an end has four times its probability.
        let lowest = (q5 - (q25 - q5) / 4.0).max(min.unwrap_or(f64::MIN));
        let highest = (q95 + (q95 - q75) / 4.0).min(max.unwrap_or(f64::MAX));
        [
            Stretch { probability: 0.05, from: lowest.min(q5), to: q5 },
            Stretch { probability: 0.2, from: q5, to: q25 },
            Stretch { probability: 0.25, from: q25, to: q50 },
            Stretch { probability: 0.25, from: q50, to: q75 },
            Stretch { probability: 0.2, from: q75, to: q95 },
            Stretch { probability: 0.05, from: q95, to: highest.max(q95) },
        ]
    }

    /// The number below which an answer lies with this probability.
    pub fn at(&self, probability: f64, bounds: (Option<f64>, Option<f64>)) -> f64 {
        let mut left = probability;
        let stretches = self.stretches(bounds);
        for Stretch { probability, from, to } in stretches {
            if left <= probability {
                return from + (to - from) * (left / probability).clamp(0.0, 1.0);
            }
            left -= probability;
        }
        stretches[5].to
    }

    /// The corners of the quantile function of answers between these bounds: the probability that an answer is below, from 0 to
    /// 1, and the number.
    pub fn corners(&self, bounds: (Option<f64>, Option<f64>)) -> Vec<(f64, f64)> {
        let stretches = self.stretches(bounds);
        let mut corners = vec![(0.0, stretches[0].from)];
        corners.extend(LEVELS.into_iter().chain([1.0]).zip(stretches.iter().map(|stretch| stretch.to)));
        corners
    }
}
