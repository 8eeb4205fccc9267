//! Chance that every machine repeats: a stream of its own per person, and arithmetic without library functions whose
//! last digit differs between platforms.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub struct Chance(ChaCha8Rng);

impl Chance {
    pub fn of(seed: u64, number: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        Self(rng)
    }

    /// Even over 0..1.
    pub fn even(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Close to normal, with mean 0 and standard deviation 1: a sum of twelve even ones.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.even()).sum::<f64>() - 6.0
    }

    /// One of the places of `weights`, as likely as its weight.
    pub fn weighed(&mut self, weights: &[f64]) -> usize {
        let mut left = self.even() * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return place;
            }
        }
        weights.len() - 1
    }

    /// One of some texts.
    pub fn of_these<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[(self.even() * texts.len() as f64) as usize]
    }
}

/// How many of the `bounds`, which ascend, `value` passes.
pub fn step(value: f64, bounds: &[f64]) -> usize {
    bounds.iter().filter(|&&bound| value > bound).count()
}

/// The share of a normal population below `z`: Abramowitz and Stegun 7.1.28, exact to seven digits.
pub fn share_below(z: f64) -> f64 {
    let x = z.abs() * std::f64::consts::FRAC_1_SQRT_2;
    let factors = [0.0705230784, 0.0422820123, 0.0092705272, 0.0001520143, 0.0002765672, 0.0000430638];
    let mut sum = 1.0;
    let mut power = 1.0;
    for factor in factors {
        power *= x;
        sum += factor * power;
    }
    let mut tail = 1.0 / sum;
    for _ in 0..4 {
        tail *= tail;
    }
    if z < 0.0 { tail / 2.0 } else { 1.0 - tail / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_below_are_those_of_the_normal_distribution() {
        for (z, share) in [(-1.96, 0.025), (-1.0, 0.158655), (0.0, 0.5), (1.0, 0.841345), (2.5758, 0.995)] {
            assert!((share_below(z) - share).abs() < 1e-5, "{z}");
        }
    }
}
