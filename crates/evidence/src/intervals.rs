//! Intervals: how far a figure could be off because other people might have been asked.

use serde::Serialize;

use crate::distributions::{normal_quantile, t_quantile};
use crate::sample::quantile;
use random::{below, generator};

/// Minimum number of people of an interval. Below it the note is "n too small".
pub const MIN_PEOPLE: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn width(self) -> f64 {
        self.high - self.low
    }
}

/// A figure with its interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Estimate {
    #[cfg_attr(feature = "openapi", schema(example = 0.75))]
    pub value: f64,
    /// Number of answers, people or questions behind the figure.
    #[cfg_attr(feature = "openapi", schema(example = 200))]
    pub n: usize,
    /// Lower end of the interval; null if there is no interval, for the reason in `note`.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub note: Option<&'static str>,
}

impl Estimate {
    /// Creates an estimate. Drops the interval if `n` is too small.
    pub fn new(value: f64, n: usize, interval: Option<Interval>) -> Self {
        if n < MIN_PEOPLE {
            return Self { value, n, low: None, high: None, note: Some("n too small") };
        }
        Self { value, n, low: None, high: None, note: interval.is_none().then_some("no interval") }.with(interval)
    }

    /// Replaces the interval.
    pub fn with(self, interval: Option<Interval>) -> Self {
        let (low, high) = ends(interval);
        Self { low, high, ..self }
    }

    pub fn interval(&self) -> Option<Interval> {
        self.low.zip(self.high).map(|(low, high)| Interval { low, high })
    }
}

/// Returns the lower and the upper end.
pub(crate) fn ends(interval: Option<Interval>) -> (Option<f64>, Option<f64>) {
    interval.map(|Interval { low, high }| (low, high)).unzip()
}

/// Maximum of answers times draws of a bootstrap, so that it takes a few seconds.
const MAX_WORK: usize = 20_000_000;
const MIN_DRAWS: usize = 200;
const MAX_DRAWS: usize = 2_000;

/// Percentile bootstrap over people: all answers of a person stay together.
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap {
    /// Seed of the analysis.
    pub seed: i64,
    /// Number of samples drawn.
    pub replicates: usize,
    /// Coverage, 0 to 1.
    pub level: f64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { seed: 1, replicates: MAX_DRAWS, level: 0.95 }
    }
}

impl Bootstrap {
    /// The default bootstrap, with fewer draws over many answers, so that it takes seconds.
    pub fn over(answers: usize) -> Self {
        Self { replicates: (MAX_WORK / answers.max(1)).clamp(MIN_DRAWS, MAX_DRAWS), ..Self::default() }
    }

    /// Returns how often each person of each independent sample is in draw `b`. The key is (seed, name, b), so any draw
    /// can be repeated alone.
    pub fn draw(&self, name: &str, b: usize, people: &[usize]) -> Vec<Vec<f64>> {
        cancellation::check();
        let mut random = generator(self.seed, &[b"bootstrap", name.as_bytes(), &(b as u64).to_be_bytes()]);
        let counted = people.iter().map(|n| {
            let mut counts = vec![0.0; *n];
            for _ in 0..*n {
                counts[below(*n, &mut random)] += 1.0;
            }
            counts
        });
        counted.collect()
    }

    /// The interval of a statistic of `people.len()` independent samples. The statistic receives how often each person
    /// was drawn. Draws in which it is undefined are left out. `None` if more than half of them are.
    pub fn interval(
        &self,
        name: &str,
        people: &[usize],
        mut statistic: impl FnMut(&[Vec<f64>]) -> Option<f64>,
    ) -> Option<Interval> {
        self.of_draws((0..self.replicates).filter_map(|b| statistic(&self.draw(name, b, people))))
    }

    /// The interval of a statistic, from its values in the draws where it is defined. `None` if those are fewer than
    /// half.
    pub fn of_draws(&self, drawn: impl Iterator<Item = f64>) -> Option<Interval> {
        let mut values: Vec<f64> = drawn.filter(|value| value.is_finite()).collect();
        if values.is_empty() || values.len() * 2 < self.replicates {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let tail = (1.0 - self.level) / 2.0;
        Some(Interval { low: quantile(&values, tail)?, high: quantile(&values, 1.0 - tail)? })
    }
}

/// Fisher's interval of a correlation, `tanh(atanh r ± z/√(n−3))`. `None` for n < 4. The interval of r = ±1 has no
/// width.
pub fn of_correlation(r: f64, n: usize, level: f64) -> Option<Interval> {
    if n < 4 {
        return None;
    }
    if r.abs() >= 1.0 {
        return Some(Interval { low: r.clamp(-1.0, 1.0), high: r.clamp(-1.0, 1.0) });
    }
    let half = normal_quantile(0.5 + level / 2.0) / ((n - 3) as f64).sqrt();
    Some(Interval { low: (r.atanh() - half).tanh(), high: (r.atanh() + half).tanh() })
}

/// Student's t interval of a mean. `sd` has ddof 1. `None` for n < 2.
pub fn of_mean(mean: f64, sd: f64, n: usize, level: f64) -> Option<Interval> {
    if n < 2 {
        return None;
    }
    let half = t_quantile(0.5 + level / 2.0, (n - 1) as f64) * sd / (n as f64).sqrt();
    Some(Interval { low: mean - half, high: mean + half })
}

/// Wilson's interval of a share of `count` in `n`, which may be an effective number. `None` for n = 0.
pub fn of_share(count: f64, n: f64, level: f64) -> Option<Interval> {
    if n <= 0.0 {
        return None;
    }
    let z = normal_quantile(0.5 + level / 2.0);
    let p = count / n;
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    // Rounding would leave the ends slightly off 0 and 1.
    let low = if count <= 0.0 { 0.0 } else { (centre - half) / scale };
    let high = if count >= n { 1.0 } else { (centre + half) / scale };
    Some(Interval { low: low.max(0.0), high: high.min(1.0) })
}
