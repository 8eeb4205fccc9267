//! Moments and histograms of counted numbers.

use serde::Serialize;
use utoipa::ToSchema;

use super::figures::share;

/// Up to this many different numbers are shown one by one; more are put into this many intervals.
const MAX_BINS: usize = 20;

/// An interval of numbers, or a single one.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Bin {
    /// The smallest number that counts.
    #[schema(example = 4.0)]
    pub from: f64,
    /// Numbers below this count; in the last interval this one too. The same as `from` for a single number.
    #[schema(example = 4.0)]
    pub to: f64,
    #[schema(example = 50)]
    pub count: i64,
    /// count / n.
    #[schema(example = 0.25)]
    pub share: f64,
}

/// Different numbers, ascending, with how often each was given.
pub(super) struct Numbers {
    each: Vec<(f64, i64)>,
    n: i64,
}

impl Numbers {
    pub fn new(mut each: Vec<(f64, i64)>) -> Self {
        each.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let n = each.iter().map(|(_, times)| times).sum();
        Self { each, n }
    }

    pub fn each(&self) -> &[(f64, i64)] {
        &self.each
    }

    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum(|number| number) / self.n as f64)
    }

    pub fn sd(&self) -> Option<f64> {
        let mean = self.mean().filter(|_| self.n > 1)?;
        Some((self.sum(|number| (number - mean).powi(2)) / (self.n - 1) as f64).sqrt())
    }

    pub fn min(&self) -> Option<f64> {
        self.each.first().map(|(number, _)| *number)
    }

    pub fn max(&self) -> Option<f64> {
        self.each.last().map(|(number, _)| *number)
    }

    fn sum(&self, term: impl Fn(f64) -> f64) -> f64 {
        self.each.iter().map(|(number, times)| term(*number) * *times as f64).sum()
    }

    pub fn bins(&self) -> Vec<Bin> {
        let bin = |from, to, count| Bin { from, to, count, share: share(count, self.n) };
        let (Some(min), Some(max)) = (self.min(), self.max()) else { return Vec::new() };
        if self.each.len() <= MAX_BINS {
            return self.each.iter().map(|(number, times)| bin(*number, *number, *times)).collect();
        }
        let width = (max - min) / MAX_BINS as f64;
        let edge = |index: usize| if index == MAX_BINS { max } else { min + width * index as f64 };
        let mut bins: Vec<Bin> = (0..MAX_BINS).map(|index| bin(edge(index), edge(index + 1), 0)).collect();
        for (number, times) in &self.each {
            // Found by the edges, so that rounding puts no number outside its interval.
            let place = bins.partition_point(|bin| bin.to <= *number).min(MAX_BINS - 1);
            bins[place].count += times;
        }
        bins.iter().map(|counted| bin(counted.from, counted.to, counted.count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_weigh_each_number_by_how_often_it_was_given() {
        let numbers = Numbers::new(vec![(4.0, 1), (1.0, 3)]);
        // 1, 1, 1, 4: mean 1.75, squares 3 × 0.5625 + 5.0625 = 6.75, over 3.
        assert_eq!((numbers.mean(), numbers.sd()), (Some(1.75), Some(1.5)));
        assert_eq!((numbers.min(), numbers.max()), (Some(1.0), Some(4.0)));
        assert_eq!(Numbers::new(vec![(2.0, 1)]).sd(), None, "one answer has no spread");
        assert_eq!(Numbers::new(vec![]).mean(), None);
    }

    #[test]
    fn a_few_numbers_stand_alone_and_many_in_intervals_that_miss_none() {
        let few = Numbers::new(vec![(1.0, 2), (7.0, 2)]).bins();
        assert_eq!(
            few.iter().map(|bin| (bin.from, bin.to, bin.share)).collect::<Vec<_>>(),
            [(1.0, 1.0, 0.5), (7.0, 7.0, 0.5)]
        );
        let many = Numbers::new((0..=100).map(|number| (f64::from(number) / 10.0, 1)).collect()).bins();
        assert_eq!(many.len(), MAX_BINS);
        assert_eq!((many[0].from, many[19].to), (0.0, 10.0));
        assert_eq!(many.iter().map(|bin| bin.count).sum::<i64>(), 101);
        assert_eq!(many[19].count, 6, "the last interval holds its end");
        assert!(many.windows(2).all(|pair| pair[0].to == pair[1].from));
    }
}
