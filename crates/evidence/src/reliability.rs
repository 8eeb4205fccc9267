//! How well people and twins repeat themselves: nothing can agree better with a person than the person does.

use std::collections::BTreeMap;

use serde::Serialize;

/// Minimum of both reliabilities. Below it a disattenuated r would be mostly noise.
const MIN_RELIABILITY: f64 = 0.3;

/// The mean over tasks of `accuracy of twins / accuracy of the people's second answers`, both against their first
/// answers. It is the mean of the ratios, not the ratio of the means, as the authors of Twin-2K-500 report it. `None`
/// without tasks.
pub fn ratio_to_ceiling(tasks: &[(f64, f64)]) -> Option<f64> {
    let ratios: Vec<f64> =
        tasks.iter().filter(|(_, retest)| *retest > 0.0).map(|(twin, retest)| twin / retest).collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

/// `r/√(rel_h·rel_t)`, cut to ±1: the correlation that exact measurement would show (Spearman 1904). `None` unless both
/// reliabilities are above .3.
pub fn disattenuated(r: f64, reliability_human: f64, reliability_twin: f64) -> Option<f64> {
    let holds = reliability_human > MIN_RELIABILITY && reliability_twin > MIN_RELIABILITY;
    holds.then(|| (r / (reliability_human * reliability_twin).sqrt()).clamp(-1.0, 1.0))
}

/// How alike the answers of the same twins are when everything is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repeats {
    /// Number of twins that answered in every repeat.
    pub twins: usize,
    pub repeats: usize,
    /// Share of pairs of repeats of one twin with the same answer, 0 to 1.
    #[cfg_attr(feature = "openapi", schema(example = 0.92))]
    pub identical: f64,
    /// ICC(1) (Shrout and Fleiss 1979): share of the variance that is between twins; null if nobody differs. It depends
    /// on the numbers of options, so options without an order have `alpha` instead.
    #[cfg_attr(feature = "openapi", schema(example = 0.9))]
    pub icc: Option<f64>,
    /// Krippendorff's alpha (2011) of options without an order: agreement of repeats beyond chance; null if nobody
    /// differs.
    #[cfg_attr(feature = "openapi", schema(example = json!(null)))]
    pub alpha: Option<f64>,
    /// Number of repeats whose mean has an ICC of .9, by Spearman and Brown; null without a positive ICC.
    pub repeats_for_90: Option<usize>,
}

impl Repeats {
    /// Keeps the measure that fits the item's scale: alpha for options without an order, ICC for all others.
    pub fn of_scale(self, is_only_named: bool) -> Self {
        match is_only_named {
            true => Self { icc: None, repeats_for_90: None, ..self },
            false => Self { alpha: None, ..self },
        }
    }
}

/// Measures repeats. `rows` are twins with k answers each. `None` unless there are 2 twins and 2 repeats, the same
/// number for each twin.
pub fn repeats(rows: &[Vec<f64>]) -> Option<Repeats> {
    let (n, k) = (rows.len(), rows.first()?.len());
    if n < 2 || k < 2 || rows.iter().any(|row| row.len() != k) {
        return None;
    }
    let (twins, each) = (n as f64, k as f64);
    let mean_of = |row: &Vec<f64>| row.iter().sum::<f64>() / each;
    let whole = rows.iter().map(mean_of).sum::<f64>() / twins;
    let between = each * rows.iter().map(|row| (mean_of(row) - whole).powi(2)).sum::<f64>() / (twins - 1.0);
    let squares = |row: &Vec<f64>| row.iter().map(|value| (value - mean_of(row)).powi(2)).sum::<f64>();
    let within = rows.iter().map(squares).sum::<f64>() / (twins * (each - 1.0));
    let denominator = between + (each - 1.0) * within;
    let icc = (denominator > 0.0).then(|| (between - within) / denominator);
    let pairs = |row: &Vec<f64>| {
        (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).filter(|(a, b)| row[*a] == row[*b]).count() as f64
    };
    let identical = rows.iter().map(pairs).sum::<f64>() / (twins * each * (each - 1.0) / 2.0);
    Some(Repeats {
        twins: n,
        repeats: k,
        identical,
        icc,
        alpha: nominal_alpha(rows),
        repeats_for_90: icc.and_then(|icc| repeats_for(0.9, icc)),
    })
}

/// Krippendorff's alpha with the nominal difference: 1 less the observed share of unequal pairs over the expected one.
/// Rows are twins; twins with one answer are ignored. `None` if all answers are the same.
pub fn nominal_alpha(rows: &[Vec<f64>]) -> Option<f64> {
    let mut totals: BTreeMap<u64, f64> = BTreeMap::new();
    let squares = |counts: &BTreeMap<u64, f64>| counts.values().map(|count| count * count).sum::<f64>();
    let (mut answers, mut unequal) = (0.0, 0.0);
    for row in rows.iter().filter(|row| row.len() > 1) {
        let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
        for value in row {
            *counts.entry(value.to_bits()).or_default() += 1.0;
            *totals.entry(value.to_bits()).or_default() += 1.0;
        }
        let n = row.len() as f64;
        unequal += (n * n - squares(&counts)) / (n - 1.0);
        answers += n;
    }
    let expected = (answers * answers - squares(&totals)) / (answers - 1.0);
    (expected > 0.0).then(|| 1.0 - unequal / expected)
}

/// Spearman-Brown: number of answers whose mean reaches `target`, given the ICC of one. `None` unless both are between
/// 0 and 1.
pub fn repeats_for(target: f64, icc: f64) -> Option<usize> {
    let inside = |value: f64| value > 0.0 && value < 1.0;
    if icc >= 1.0 {
        return Some(1);
    }
    (inside(target) && inside(icc))
        .then(|| (target * (1.0 - icc) / (icc * (1.0 - target)) - 1e-9).ceil().max(1.0) as usize)
}
