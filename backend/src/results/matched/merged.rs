//! The figures of one question in several runs as those of all their answers.

use std::collections::BTreeMap;

use simulation::summaries::figures::{Count, Figures, RowFigures};
use simulation::summaries::numbers::Bin;

/// Adds up figures of the same question. Intervals of numbers are kept where they have the same edges everywhere.
pub fn merged(runs: &[&Figures]) -> Figures {
    let Some(first) = runs.first() else { return Figures::default() };
    let n = runs.iter().map(|of| of.n).sum();
    let (mean, sd) = pooled(runs.iter().map(|of| (of.n, of.mean, of.sd)));
    let row = |(place, row): (usize, &RowFigures)| {
        let same: Vec<&RowFigures> = runs.iter().filter_map(|of| of.rows.get(place)).collect();
        let n = same.iter().map(|of| of.n).sum();
        let (mean, sd) = pooled(same.iter().map(|of| (of.n, of.mean, of.sd)));
        let counts = same.iter().map(|of| of.counts.as_slice()).collect::<Vec<_>>();
        RowFigures::of_moments(&row.row, n, (mean, sd), by_place(&counts, n))
    };
    let counts: Vec<&[Count]> = runs.iter().map(|of| of.counts.as_slice()).collect();
    let is_number = first.min.is_some() || runs.iter().any(|of| !of.bins.is_empty());
    Figures {
        n,
        counts: if is_number { by_value(&counts, n) } else { by_place(&counts, n) },
        rows: first.rows.iter().enumerate().map(row).collect(),
        bins: merged_bins(runs),
        min: runs.iter().filter_map(|of| of.min).reduce(f64::min),
        max: runs.iter().filter_map(|of| of.max).reduce(f64::max),
        ..Figures::of_moments(n, (mean, sd))
    }
}

/// Counts of the same options, which runs may write otherwise.
fn by_place(counts: &[&[Count]], n: i64) -> Vec<Count> {
    let total = |place: usize| counts.iter().filter_map(|of| of.get(place)).map(|of| of.count).sum();
    let options = counts.first().copied().unwrap_or_default().iter().enumerate();
    options.map(|(place, of)| Count::new(&of.value, total(place), n)).collect()
}

/// Counts of numbers, ascending.
fn by_value(counts: &[&[Count]], n: i64) -> Vec<Count> {
    let mut totals: BTreeMap<&str, i64> = BTreeMap::new();
    for count in counts.iter().copied().flatten() {
        *totals.entry(&count.value).or_default() += count.count;
    }
    let mut counts: Vec<Count> = totals.into_iter().map(|(value, count)| Count::new(value, count, n)).collect();
    let number = |count: &Count| count.value.parse::<f64>().unwrap_or_default();
    counts.sort_by(|one, other| number(one).total_cmp(&number(other)));
    counts
}

fn merged_bins(runs: &[&Figures]) -> Vec<Bin> {
    let edges = |of: &Figures| of.bins.iter().map(|bin| (bin.from, bin.to)).collect::<Vec<_>>();
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let all = edges(first);
    if others.iter().any(|other| edges(other) != all) {
        return Vec::new();
    }
    let total = |place: usize| runs.iter().filter_map(|of| of.bins.get(place)).map(|bin| bin.count).sum::<i64>();
    let n = runs.iter().flat_map(|of| &of.bins).map(|bin| bin.count).sum();
    all.into_iter().enumerate().map(|(place, edges)| Bin::of(edges, total(place), n)).collect()
}

/// The mean of several samples together, and the standard deviation of all their answers.
fn pooled(samples: impl Iterator<Item = (i64, Option<f64>, Option<f64>)>) -> (Option<f64>, Option<f64>) {
    let known = samples.filter_map(|(n, mean, sd)| Some((n as f64, mean?, sd.unwrap_or_default())));
    let known: Vec<(f64, f64, f64)> = known.filter(|(n, ..)| *n > 0.0).collect();
    let n: f64 = known.iter().map(|(n, ..)| n).sum();
    if n == 0.0 {
        return (None, None);
    }
    let mean = known.iter().map(|(n, mean, _)| n * mean).sum::<f64>() / n;
    let squares = known.iter().map(|(n, own, sd)| (n - 1.0) * sd * sd + n * (own - mean).powi(2));
    let sd = (n > 1.0).then(|| (squares.sum::<f64>() / (n - 1.0)).sqrt());
    (Some(mean), sd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_pooled_as_if_they_were_one() {
        // 1, 2, 3 and 6, 8.
        let (mean, sd) = pooled([(3, Some(2.0), Some(1.0)), (2, Some(7.0), Some(2.0_f64.sqrt()))].into_iter());
        assert_eq!(mean, Some(4.0));
        let expected = ((9.0 + 4.0 + 1.0 + 4.0 + 16.0) / 4.0_f64).sqrt();
        assert!(sd.is_some_and(|sd| (sd - expected).abs() < 1e-12), "{sd:?}, not {expected}");
        assert_eq!(pooled([(0, None, None)].into_iter()), (None, None));
    }

    #[test]
    fn intervals_with_other_edges_are_not_added_up() {
        let figures = |to| Figures { n: 2, bins: vec![Bin::of((0.0, to), 2, 2)], ..Figures::default() };
        assert_eq!(merged(&[&figures(10.0), &figures(10.0)]).bins[0].count, 4);
        assert_eq!(merged(&[&figures(10.0), &figures(20.0)]).bins, []);
    }
}
