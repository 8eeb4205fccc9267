//! Effects of arms with covariates, and of respondents with several rows.

use super::{Difference, tested};
use crate::factors::weighted;
use crate::regression::{cluster_robust, least_squares};
use crate::sample::{Mean, mean, variance};

/// The answers of one arm, with the weight of each row.
#[derive(Clone, Copy, Debug)]
pub struct ArmSample<'a> {
    pub values: &'a [f64],
    pub weights: &'a [f64],
}

impl ArmSample<'_> {
    fn mean(&self) -> Option<Mean> {
        Mean::compute(self.values, self.weights)
    }
}

/// The pooled sd of two arms, ddof 1.
fn pooled(a: Mean, b: Mean) -> f64 {
    let (n, m) = (a.n as f64, b.n as f64);
    (((n - 1.0) * a.sd.powi(2) + (m - 1.0) * b.sd.powi(2)) / (n + m - 2.0)).sqrt()
}

/// The effect adjusted for covariates by Lin's regression (2013): on the arm, the covariates less their mean over both
/// arms, and the products of both, with HC2 errors and Student's t. It is unbiased up to 1/n whether or not the regression
/// is true, and d is in the sd of the answers themselves. Covariates that are constant in an arm are left out. `None` if
/// none is left, an arm has fewer than two respondents a coefficient, or the covariates depend on each other.
pub fn lin(first: ArmSample, second: ArmSample, covariates: [&[Vec<f64>]; 2], level: f64) -> Option<Difference> {
    let columns = covariates.iter().find_map(|rows| rows.first())?.len();
    let varies = |column: &usize| {
        covariates.iter().zip([first, second]).all(|(rows, arm)| {
            let values: Vec<f64> = rows.iter().map(|row| row[*column]).collect();
            variance(&values, arm.weights).is_some_and(|spread| spread > 1e-18)
        })
    };
    let used: Vec<usize> = (0..columns).filter(varies).collect();
    let smallest = first.values.len().min(second.values.len());
    if used.is_empty() || smallest < 2 * (used.len() + 1) {
        return None;
    }
    let weights = [first.weights, second.weights].concat();
    let centres: Vec<f64> = used
        .iter()
        .map(|column| {
            let values: Vec<f64> = covariates.iter().copied().flatten().map(|row| row[*column]).collect();
            mean(&values, &weights)
        })
        .collect::<Option<_>>()?;
    let row = |arm: f64, covariates: &Vec<f64>| {
        let centred: Vec<f64> =
            used.iter().zip(&centres).map(|(column, centre)| covariates[*column] - centre).collect();
        let crossed = centred.iter().map(|value| arm * value);
        [1.0, arm].into_iter().chain(centred.iter().copied()).chain(crossed).collect::<Vec<f64>>()
    };
    let [of_first, of_second] = covariates;
    let x: Vec<Vec<f64>> =
        of_first.iter().map(|values| row(1.0, values)).chain(of_second.iter().map(|values| row(0.0, values))).collect();
    let (x, y) = weighted(&x, &[first.values, second.values].concat(), &weights);
    let fit = least_squares(&x, &y)?;
    let (error, difference) = (*fit.errors.get(1)?, *fit.coefficients.get(1)?);
    let sd = pooled(first.mean()?, second.mean()?);
    let df = x.len() as f64 - fit.coefficients.len() as f64;
    let n = (first.values.len(), second.values.len());
    (error > 0.0 && sd > 0.0).then(|| tested(difference, error * error, df, sd, n, level))
}

/// The effect where a respondent has several rows: the difference of the means of rows, with errors that let the rows of a
/// respondent depend on each other ([`cluster_robust`]). `ids` are the respondents of the rows of each arm. Counts of the
/// difference are respondents. `None` for fewer than 2 respondents in an arm, or if nobody differs from anybody.
pub fn clustered(first: ArmSample, second: ArmSample, ids: [&[&str]; 2], level: f64) -> Option<Difference> {
    let count = |ids: &[&str]| {
        let mut distinct = ids.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.len()
    };
    let n = (count(ids[0]), count(ids[1]));
    if n.0 < 2 || n.1 < 2 {
        return None;
    }
    let arms = std::iter::repeat_n(1.0, first.values.len()).chain(std::iter::repeat_n(0.0, second.values.len()));
    let x: Vec<Vec<f64>> = arms.map(|arm| vec![1.0, arm]).collect();
    let weights = [first.weights, second.weights].concat();
    let (x, y) = weighted(&x, &[first.values, second.values].concat(), &weights);
    let found = cluster_robust(&x, &y, &ids.concat(), 1)?;
    let sd = pooled(first.mean()?, second.mean()?);
    // Rounding leaves something above 0 where all rows of an arm are equal.
    let is_constant = sd <= 0.0 || found.squared_error <= sd * sd * 1e-18;
    (!is_constant).then(|| tested(found.coefficient, found.squared_error, found.df, sd, n, level))
}
