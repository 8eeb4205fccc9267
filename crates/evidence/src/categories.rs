//! Tests of shares: whether twins and people choose the categories equally often.

use crate::distributions::chi_squared_above;
use crate::linear::{dot, inverse, times};

/// A χ² statistic with `df` degrees of freedom under the null hypothesis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquared {
    pub statistic: f64,
    pub df: usize,
    pub p: f64,
}

fn tested(statistic: f64, df: usize) -> ChiSquared {
    ChiSquared { statistic, df, p: chi_squared_above(statistic, df as f64) }
}

/// Pearson's χ² test of two rows of counts, without columns that nobody chose. `None` if fewer than two columns are
/// left.
pub fn independence(first: &[f64], second: &[f64]) -> Option<ChiSquared> {
    let used: Vec<(f64, f64)> =
        first.iter().copied().zip(second.iter().copied()).filter(|(a, b)| a + b > 0.0).collect();
    let (n, m) = (used.iter().map(|(a, _)| a).sum::<f64>(), used.iter().map(|(_, b)| b).sum::<f64>());
    if used.len() < 2 || n <= 0.0 || m <= 0.0 {
        return None;
    }
    let cell = |observed: f64, expected: f64| (observed - expected).powi(2) / expected;
    let of_column = |(a, b): &(f64, f64)| {
        let all = a + b;
        cell(*a, all * n / (n + m)) + cell(*b, all * m / (n + m))
    };
    Some(tested(used.iter().map(of_column).sum(), used.len() - 1))
}

/// Pearson's χ² test of counts against equal shares, and `V = √(χ²/(n(K−1)))`, 0 to 1. `None` for K < 2 or n = 0.
pub fn uniformity(counts: &[f64]) -> Option<(ChiSquared, f64)> {
    let (n, k) = (counts.iter().sum::<f64>(), counts.len() as f64);
    if counts.len() < 2 || n <= 0.0 {
        return None;
    }
    let statistic = counts.iter().map(|count| (count - n / k).powi(2) / (n / k)).sum();
    Some((tested(statistic, counts.len() - 1), (statistic / (n * (k - 1.0))).sqrt()))
}

/// Cramér's V of a table of counts with Bergsma's correction for bias (2013), 0 to 1. `None` unless two rows and two
/// columns have counts.
pub fn cramers_v(table: &[Vec<f64>]) -> Option<f64> {
    let columns = table.first()?.len();
    let of_rows: Vec<f64> = table.iter().map(|row| row.iter().sum()).collect();
    let of_columns: Vec<f64> = (0..columns).map(|column| table.iter().map(|row| row[column]).sum()).collect();
    let n: f64 = of_rows.iter().sum();
    let used = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count() as f64;
    let (r, k) = (used(&of_rows), used(&of_columns));
    if r < 2.0 || k < 2.0 || n <= 1.0 {
        return None;
    }
    let mut chi_squared = 0.0;
    for (row, row_sum) in table.iter().zip(&of_rows) {
        for (count, column_sum) in row.iter().zip(&of_columns) {
            let expected = row_sum * column_sum / n;
            if expected > 0.0 {
                chi_squared += (count - expected).powi(2) / expected;
            }
        }
    }
    let phi = (chi_squared / n - (r - 1.0) * (k - 1.0) / (n - 1.0)).max(0.0);
    let corrected = |levels: f64| levels - (levels - 1.0).powi(2) / (n - 1.0);
    let most = (corrected(r) - 1.0).min(corrected(k) - 1.0);
    (most > 0.0).then(|| (phi / most).sqrt().min(1.0))
}

/// Stuart-Maxwell test of equal margins of paired answers (Stuart 1955): categories 1 to K of the same people twice.
/// With weights the gaps are weighted and their covariance is linearised with the squared weights. `None` if nobody
/// changed the category.
pub fn marginal_homogeneity(first: &[f64], second: &[f64], weights: &[f64], categories: usize) -> Option<ChiSquared> {
    let mut gaps = vec![0.0; categories];
    let mut table = vec![vec![0.0; categories]; categories];
    for ((a, b), weight) in first.iter().zip(second).zip(weights) {
        let (a, b) = ((*a as usize).checked_sub(1)?, (*b as usize).checked_sub(1)?);
        *table.get_mut(a)?.get_mut(b)? += weight * weight;
        gaps[a] += weight;
        gaps[b] -= weight;
    }
    let row = |k: usize| table[k].iter().sum::<f64>();
    let column = |k: usize| table.iter().map(|row| row[k]).sum::<f64>();
    // Categories that no pair enters or leaves carry no information, and one further category follows from the rest.
    let entered = |k: usize| (0..categories).any(|other| other != k && table[k][other] + table[other][k] > 0.0);
    let moved: Vec<usize> = (0..categories).filter(|k| entered(*k)).collect();
    let free = &moved[..moved.len().checked_sub(1)?];
    if free.is_empty() {
        return None;
    }
    let gaps: Vec<f64> = free.iter().map(|k| gaps[*k]).collect();
    let covariance = |a: usize, b: usize| {
        if a == b { row(a) + column(a) - 2.0 * table[a][a] } else { -(table[a][b] + table[b][a]) }
    };
    let matrix: Vec<Vec<f64>> = free.iter().map(|a| free.iter().map(|b| covariance(*a, *b)).collect()).collect();
    Some(tested(dot(&gaps, &times(&inverse(&matrix)?, &gaps)), free.len()))
}
