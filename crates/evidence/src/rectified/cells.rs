use std::collections::BTreeMap;

use super::figure::{Figure, FigureRefused, Rectified};
use super::mean::{best_lambda, estimate, ratio};
use super::{average, check, covariance, variance};
use crate::metrics::pearson;
use crate::sample::ones;

/// People and twins that have no common id but common attributes (three at most), joined to one text a respondent.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    pub people: &'a [f64],
    pub cells_of_people: &'a [String],
    pub twins: &'a [f64],
    pub cells_of_twins: &'a [String],
    /// The cells' shares in the population; without them the twins' own.
    pub shares: Option<&'a BTreeMap<String, f64>>,
}

/// The mean, with the mean answer of the twins of a person's cell in place of its own twin's. Known shares have no
/// sampling error. Errors: people in a cell without twins, shares that do not add up to 1, too few people.
pub fn by_cell(cells: Cells, level: f64) -> Result<Rectified, FigureRefused> {
    let n = cells.people.len();
    if n != cells.cells_of_people.len() || cells.twins.len() != cells.cells_of_twins.len() {
        return Err(FigureRefused::NoPairing);
    }
    check(n, cells.twins.len())?;
    let mut answers: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (cell, answer) in cells.cells_of_twins.iter().zip(cells.twins) {
        answers.entry(cell).or_default().push(*answer);
    }
    let means: BTreeMap<&str, f64> = answers.iter().map(|(cell, answers)| (*cell, average(answers))).collect();
    let of_cell =
        |cell: &String| means.get(cell.as_str()).copied().ok_or_else(|| FigureRefused::EmptyCell(cell.clone()));
    let own: Vec<f64> = cells.cells_of_people.iter().map(of_cell).collect::<Result<_, _>>()?;
    let rho = pearson(cells.people, &own, &ones(n)).unwrap_or(0.0);
    let alone = Figure::new(average(cells.twins), variance(cells.twins) / cells.twins.len() as f64, level);
    let Some(shares) = cells.shares else {
        let others: Vec<f64> = cells.cells_of_twins.iter().map(of_cell).collect::<Result<_, _>>()?;
        let lambda = best_lambda(cells.people, &own, &others);
        let with = |lambda| estimate(cells.people, &own, &others, lambda, level);
        return Ok(Rectified::new(n, others.len(), lambda, rho, [with(0.0), alone, with(1.0), with(lambda)]));
    };
    if (shares.values().sum::<f64>() - 1.0).abs() > 1e-6 {
        return Err(FigureRefused::SharesNotOne);
    }
    let mut known = 0.0;
    for (cell, share) in shares.iter().filter(|(_, share)| **share > 0.0) {
        known += share * of_cell(cell)?;
    }
    let lambda = ratio(covariance(cells.people, &own), variance(&own));
    let with = |lambda| estimate(cells.people, &own, &[known], lambda, level);
    let twins = Figure::new(known, alone.variance, level);
    Ok(Rectified::new(n, cells.twins.len(), lambda, rho, [with(0.0), twins, with(1.0), with(lambda)]))
}
