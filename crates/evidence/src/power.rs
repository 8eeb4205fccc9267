//! Power by simulation: how often a design finds an effect that exists, with people alone or with people and twins.
//!
//! Each replicate draws the means, variances and covariances of normal answers, which are all that the tests read, so its
//! cost does not depend on the number of people.

use rand_chacha::ChaCha8Rng;

use crate::distributions::{normal_quantile, normal_two_sided, t_two_sided};
use crate::intervals::{Estimate, of_share};
use crate::rectified::MIN_PEOPLE;
use random::{generator, uniform};

/// Number of simulated studies. The standard error of a power of .8 is .0063.
pub const REPLICATES: usize = 4_000;
/// Seed of the simulation, so that the same question has the same answer.
const SEED: i64 = 1;
/// Minimum number of people in a cell.
const MIN_IN_CELL: usize = 5;
/// Maximum number of people in a cell.
const MAX_IN_CELL: usize = 1_000_000;

/// The effect that is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestedEffect {
    /// A main effect of a 2 × 2 design: the mean of two cells less that of the other two.
    Main,
    /// The interaction of a 2 × 2 design: the difference of two differences.
    Interaction,
    /// The mean difference of two answers of each person.
    Paired,
}

impl TestedEffect {
    /// The weight of each cell in the effect.
    fn weights(self) -> &'static [f64] {
        match self {
            Self::Main => &[0.5, 0.5, -0.5, -0.5],
            Self::Interaction => &[1.0, -1.0, -1.0, 1.0],
            Self::Paired => &[1.0],
        }
    }

    /// The number of cells with people of their own.
    pub fn cells(self) -> usize {
        self.weights().len()
    }
}

/// A design whose power is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedDesign {
    pub tested: TestedEffect,
    /// The effect, in standard deviations of one answer of people.
    pub d: f64,
    /// Correlation of the two answers of a person. Only for pairs.
    pub correlation: f64,
    /// Correlation of people with their own twins; for pairs that of the differences.
    pub rho: f64,
    /// Number of twins of people who are not asked, in each cell; 0 for people alone.
    pub others: usize,
    pub alpha: f64,
}

/// Moments of a cell's answers; variances have ddof 0.
struct Cell {
    people: f64,
    twins: f64,
    others: f64,
    variance: f64,
    variance_of_twins: f64,
    covariance: f64,
    variance_of_others: f64,
}

impl SimulatedDesign {
    /// The share of simulated studies with `n` people in each cell in which p is below alpha, with Wilson's interval.
    pub fn power(&self, n: usize) -> Estimate {
        let found = (0..REPLICATES).filter(|replicate| self.p(n, *replicate) < self.alpha).count();
        let share = found as f64 / REPLICATES as f64;
        let estimate = Estimate { value: share, n: REPLICATES, low: None, high: None, note: None };
        estimate.with(of_share(found as f64, REPLICATES as f64, 0.95))
    }

    /// The least number of people in each cell with this power, and its power. `None` if more than a million would be
    /// needed.
    pub fn people(&self, power: f64) -> Option<(usize, Estimate)> {
        let reaches = |n: usize| self.power(n).value >= power;
        let (mut below, mut above) = (self.fewest() - 1, self.fewest());
        while !reaches(above) {
            cancellation::check();
            (below, above) = (above, above * 2);
            if above > MAX_IN_CELL {
                return None;
            }
        }
        while above - below > 1 {
            let middle = below.midpoint(above);
            if reaches(middle) { above = middle } else { below = middle }
        }
        Some((above, self.power(above)))
    }

    /// The least number of people in a cell that the test takes.
    pub fn fewest(&self) -> usize {
        if self.others > 0 { MIN_PEOPLE } else { MIN_IN_CELL }
    }

    /// p of one simulated study: Student's t with Satterthwaite's degrees of freedom for people alone, else the normal
    /// test of the rectified estimate with a λ for each cell.
    fn p(&self, n: usize, replicate: usize) -> f64 {
        let mut random = generator(SEED, &[b"power", &(n as u64).to_be_bytes(), &(replicate as u64).to_be_bytes()]);
        let (mut effect, mut squared_error, mut squares) = (0.0, 0.0, 0.0);
        for (place, weight) in self.tested.weights().iter().enumerate() {
            let (mean, spread) = self.cell(place);
            let cell = Cell::draw(n, self.others, mean, spread, self.rho, &mut random);
            let (estimate, own) = cell.estimate(n, self.others);
            let own = own * weight * weight;
            effect += weight * estimate;
            squared_error += own;
            squares += own * own / (n as f64 - 1.0);
        }
        let statistic = effect / squared_error.sqrt();
        match self.others {
            0 => t_two_sided(statistic, squared_error * squared_error / squares),
            _ => normal_two_sided(statistic),
        }
    }

    /// The mean and the sd of a cell, so that the effect is `d`.
    fn cell(&self, place: usize) -> (f64, f64) {
        match self.tested {
            TestedEffect::Main => (if place < 2 { self.d } else { 0.0 }, 1.0),
            TestedEffect::Interaction => (if place == 0 { self.d } else { 0.0 }, 1.0),
            TestedEffect::Paired => (self.d, (2.0 * (1.0 - self.correlation)).sqrt()),
        }
    }
}

impl Cell {
    /// Draws the moments of `n` people with their twins, and of other twins (Bartlett 1933).
    fn draw(n: usize, others: usize, mean: f64, sd: f64, rho: f64, random: &mut ChaCha8Rng) -> Self {
        let size = n as f64;
        let rest = (1.0 - rho * rho).sqrt();
        let (a, b) = (normal(random), normal(random));
        let first = chi_squared(size - 1.0, random).sqrt();
        let (cross, second) = (normal(random), chi_squared(size - 2.0, random).sqrt());
        let of_twins = rho * first + rest * cross;
        let mut cell = Self {
            people: mean + sd * a / size.sqrt(),
            twins: sd * (rho * a + rest * b) / size.sqrt(),
            others: 0.0,
            variance: sd * sd * first * first / size,
            variance_of_twins: sd * sd * (of_twins * of_twins + (rest * second).powi(2)) / size,
            covariance: sd * sd * first * of_twins / size,
            variance_of_others: 0.0,
        };
        if others > 0 {
            let more = others as f64;
            cell.others = sd * normal(random) / more.sqrt();
            cell.variance_of_others = sd * sd * chi_squared((more - 1.0).max(1.0), random) / more;
        }
        cell
    }

    /// The mean and its squared error: of people alone, or rectified.
    fn estimate(&self, n: usize, others: usize) -> (f64, f64) {
        let (size, more) = (n as f64, others as f64);
        if others == 0 {
            return (self.people, self.variance / (size - 1.0));
        }
        let between = size * more / (size + more) * (self.twins - self.others).powi(2);
        let pooled = (size * self.variance_of_twins + more * self.variance_of_others + between) / (size + more - 1.0);
        let lambda = (self.covariance / ((1.0 + size / more) * pooled)).clamp(0.0, 1.0);
        let rest = self.variance - 2.0 * lambda * self.covariance + lambda * lambda * self.variance_of_twins;
        let squared_error = lambda * lambda * self.variance_of_others / more + rest / size;
        (lambda * self.others + self.people - lambda * self.twins, squared_error)
    }
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(uniform(random))
}

/// Draws from the χ² distribution with at least 1 degree of freedom (Marsaglia and Tsang 2000).
fn chi_squared(df: f64, random: &mut ChaCha8Rng) -> f64 {
    if df < 2.0 {
        // A draw with 2 degrees more, shrunk.
        return chi_squared(df + 2.0, random) * uniform(random).powf(2.0 / df);
    }
    let shape = df / 2.0 - 1.0 / 3.0;
    let scale = 1.0 / (9.0 * shape).sqrt();
    loop {
        let z = normal(random);
        let cube = (1.0 + scale * z).powi(3);
        if cube > 0.0 && uniform(random).ln() < 0.5 * z * z + shape - shape * cube + shape * cube.ln() {
            return 2.0 * shape * cube;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(tested: TestedEffect, d: f64) -> SimulatedDesign {
        SimulatedDesign { tested, d, correlation: 0.0, rho: 0.0, others: 0, alpha: 0.05 }
    }

    #[track_caller]
    fn near(found: f64, expected: f64) {
        // Three standard errors of a simulated share.
        assert!((found - expected).abs() < 0.024, "{found} is not {expected}");
    }

    /// The exact powers are those of scipy's noncentral t distribution with 348 and with 89 degrees of freedom.
    #[test]
    fn power_is_that_of_the_exact_tests() {
        // A main effect of .3 with 88 in each cell is a t-test of two groups of 176.
        near(design(TestedEffect::Main, 0.3).power(88).value, 0.8014);
        // An interaction is tested with twice the standard error of a main effect.
        near(design(TestedEffect::Interaction, 0.6).power(88).value, 0.8014);
        let pairs = SimulatedDesign { correlation: 0.5, ..design(TestedEffect::Paired, 0.3) };
        near(pairs.power(90).value, 0.8038);
        for tested in [TestedEffect::Main, TestedEffect::Interaction, TestedEffect::Paired] {
            near(design(tested, 0.0).power(40).value, 0.05);
        }
    }

    #[test]
    fn the_least_number_of_people_has_the_power() {
        let design = design(TestedEffect::Main, 0.3);
        let (n, power) = design.people(0.8).unwrap();
        assert!((84..=92).contains(&n), "{n}");
        assert!(power.value >= 0.8 && design.power(n - 1).value < 0.8);
        assert_eq!(SimulatedDesign { d: 0.0, ..design }.people(0.8), None);
    }

    #[test]
    fn twins_that_follow_people_take_the_place_of_some() {
        let alone = design(TestedEffect::Interaction, 0.5);
        let with = SimulatedDesign { rho: 0.7, others: 2_000, ..alone };
        let (people, fewer) = (alone.people(0.8).unwrap().0, with.people(0.8).unwrap().0);
        // The variance of a mean falls to 1 − ρ²·N/(n + N).
        let expected = people as f64 * (1.0 - 0.49 * 2_000.0 / (2_000.0 + fewer as f64));
        assert!((fewer as f64 / expected - 1.0).abs() < 0.08, "{people} people, {fewer} with twins, not {expected}");
        // Twins that know nothing change nothing, and find nothing that is not there.
        let poor = SimulatedDesign { rho: 0.0, ..with };
        near(poor.power(people).value, alone.power(people).value);
        near(SimulatedDesign { d: 0.0, ..with }.power(100).value, 0.05);
    }

    #[test]
    fn chi_squared_has_its_mean_and_variance() {
        for df in [1.0, 3.0, 40.0] {
            let mut random = generator(7, &[b"chi"]);
            let drawn: Vec<f64> = (0..20_000).map(|_| chi_squared(df, &mut random)).collect();
            let mean = drawn.iter().sum::<f64>() / 20_000.0;
            let variance = drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 20_000.0;
            assert!((mean / df - 1.0).abs() < 0.03, "{df}: {mean}");
            assert!((variance / (2.0 * df) - 1.0).abs() < 0.08, "{df}: {variance}");
        }
    }
}
