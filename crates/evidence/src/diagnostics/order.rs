//! Diagnostics of answers that depend on the order of options or of questions.

use serde::Serialize;

use super::{Diagnostic, Finding, Thresholds};
use crate::categories::uniformity;
use crate::distributions::t_two_sided;
use crate::metrics::{shares, total_variation};
use crate::multiplicity::benjamini_hochberg;
use crate::regression::least_squares;
use crate::sample::{mean, ones, sd};

/// Number of times that each position of an item with shuffled options was chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub item: String,
    /// Counts by the position at which the chosen option was shown.
    pub places: Vec<f64>,
}

/// Tests whether all positions are chosen equally often, as they should be because each option was shown at each. Warns
/// if q < .05 over the items *and* Cramér's V is above its threshold.
pub fn option_positions(items: &[Chosen], thresholds: &Thresholds) -> Vec<Finding> {
    let tested: Vec<_> = items.iter().filter_map(|item| Some((item, uniformity(&item.places)?))).collect();
    let q = benjamini_hochberg(&tested.iter().map(|(_, (test, _))| test.p).collect::<Vec<_>>());
    let finding = |((item, (_, v)), q): ((&Chosen, (_, f64)), f64)| {
        let n = item.places.iter().sum::<f64>() as usize;
        Finding::above(Diagnostic::OptionPosition, &item.item, v, thresholds.position_v, n).and(q < thresholds.q)
    };
    tested.into_iter().zip(q).map(finding).collect()
}

/// The answers of the same twins with the options as written and reversed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reversal {
    pub twins: usize,
    /// Distance of the two distributions, 0 to 1.
    pub total_variation: f64,
    /// Share of twins whose answer changed.
    pub flips: f64,
}

/// Compares the answers with those to reversed options. `None` without twins.
pub fn reversal(as_written: &[f64], reversed: &[f64], categories: usize) -> Option<Reversal> {
    let n = as_written.len().min(reversed.len());
    let (first, second) = (as_written.get(..n)?, reversed.get(..n)?);
    let (p, q) = (shares(first, &ones(n), categories)?, shares(second, &ones(n), categories)?);
    let flips = first.iter().zip(second).filter(|(a, b)| a != b).count() as f64 / n as f64;
    Some(Reversal { twins: n, total_variation: total_variation(&p, &q), flips })
}

/// Regresses the answers to each item on the position at which it was asked. An item is its name, its answers and their
/// positions. The slope is in sd of the answers for each position. Warns if q < .05 over the items.
pub fn question_positions(items: &[(String, Vec<f64>, Vec<f64>)], thresholds: &Thresholds) -> Vec<Finding> {
    let slopes: Vec<(&str, f64, f64, usize)> = items
        .iter()
        .filter_map(|(item, answers, places)| {
            let weights = ones(answers.len());
            let (mean, sd) = (mean(answers, &weights)?, sd(answers, &weights).filter(|sd| *sd > 0.0)?);
            let scaled: Vec<f64> = answers.iter().map(|answer| (answer - mean) / sd).collect();
            let rows: Vec<Vec<f64>> = places.iter().map(|place| vec![1.0, *place]).collect();
            let fit = least_squares(&rows, &scaled)?;
            let (slope, error) = (*fit.coefficients.get(1)?, *fit.errors.get(1)?);
            Some((item.as_str(), slope, t_two_sided(slope / error, answers.len() as f64 - 2.0), answers.len()))
        })
        .collect();
    let q = benjamini_hochberg(&slopes.iter().map(|(_, _, p, _)| *p).collect::<Vec<_>>());
    let finding = |((item, slope, _, n), q): ((&str, f64, f64, usize), f64)| {
        let any = Finding::above(Diagnostic::QuestionOrder, item, slope, 0.0, n);
        Finding { warns: q < thresholds.q, ..any }
    };
    slopes.into_iter().zip(q).map(finding).collect()
}
