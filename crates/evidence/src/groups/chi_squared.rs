//! Pearson's χ²: whether the rows of a table of counts are alike.

use super::{EffectMeasure, TestFigures, TestMethod};
use crate::distributions::chi_squared_above;
use crate::intervals::Interval;
use crate::noncentral;

/// The share of cells with [`MIN_EXPECTED`] expected answers below which χ² is rough (Cochran 1954).
const MIN_CELL_SHARE: f64 = 0.8;
const MIN_EXPECTED: f64 = 5.0;

/// Tests a table with a row for each group, without continuity correction; the effect is Cramér's V. Empty rows and columns
/// say nothing. `None` without two of each.
pub fn chi_squared(table: &[Vec<u64>]) -> Option<TestFigures> {
    let rows: Vec<&Vec<u64>> = table.iter().filter(|row| row.iter().any(|count| *count > 0)).collect();
    let width = rows.iter().map(|row| row.len()).max()?;
    let column = |place: usize| rows.iter().map(|row| row.get(place).copied().unwrap_or_default()).sum::<u64>();
    let columns: Vec<(usize, f64)> =
        (0..width).map(|place| (place, column(place) as f64)).filter(|(_, total)| *total > 0.0).collect();
    let (down, across) = (rows.len().checked_sub(1)?, columns.len().checked_sub(1)?);
    if down == 0 || across == 0 {
        return None;
    }
    let whole: f64 = columns.iter().map(|(_, total)| total).sum();
    let (mut statistic, mut filled) = (0.0, 0_usize);
    for row in &rows {
        let n = row.iter().sum::<u64>() as f64;
        for (place, total) in &columns {
            let expected = n * total / whole;
            let count = row.get(*place).copied().unwrap_or_default() as f64;
            statistic += (count - expected).powi(2) / expected;
            filled += usize::from(expected >= MIN_EXPECTED);
        }
    }
    let smaller = down.min(across) as f64;
    let df = (down * across) as f64;
    let v = |chi_squared: f64| (chi_squared / (whole * smaller)).sqrt();
    let is_rough = (filled as f64) < MIN_CELL_SHARE * (rows.len() * columns.len()) as f64;
    let noncentralities = if is_rough { None } else { noncentral::of_chi_squared(statistic, df, super::LEVEL) };
    Some(TestFigures {
        method: TestMethod::ChiSquared,
        statistic,
        df,
        df2: None,
        p: chi_squared_above(statistic, df),
        measure: EffectMeasure::V,
        effect: v(statistic),
        interval: noncentralities.map(|Interval { low, high }| Interval { low: v(low), high: v(high).min(1.0) }),
        // Cohen's w of such a table.
        size: v(statistic) * smaller.sqrt(),
        is_rough,
    })
}
