use std::collections::BTreeMap;

use super::figure::{Figure, FigureRefused, Rectified};
use super::mean::{PairedSample, ratio};
use super::{WeightedValues, check};

/// People and twins without a common id but with common attributes (at most three), joined to one text for each
/// respondent. Without weights all count the same.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    pub people: &'a [f64],
    pub cells_of_people: &'a [String],
    pub weights: Option<&'a [f64]>,
    pub twins: &'a [f64],
    pub cells_of_twins: &'a [String],
    pub weights_of_twins: Option<&'a [f64]>,
    /// The cells' shares in the population, in place of the twins' own.
    pub shares: Option<&'a BTreeMap<String, f64>>,
}

/// Estimates the mean with the mean answer of the twins of a person's cell in place of its own twin's. Known shares
/// have no sampling error. Fails if people are in a cell without twins or without a share, if shares do not add up to 1
/// or belong to cells without twins, or if there are too few people.
pub fn by_cell(cells: Cells, level: f64) -> Result<Rectified, FigureRefused> {
    let n = cells.people.len();
    if n != cells.cells_of_people.len() || cells.twins.len() != cells.cells_of_twins.len() {
        return Err(FigureRefused::NoPairing);
    }
    check(n, cells.twins.len())?;
    let twins = WeightedValues::new(cells.twins, cells.weights_of_twins);
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (cell, (answer, weight)) in cells.cells_of_twins.iter().zip(twins.scaled()) {
        let (sum, total) = sums.entry(cell).or_default();
        *sum += weight * answer;
        *total += weight;
    }
    let of_cell = |cell: &String| match sums.get(cell.as_str()) {
        Some((sum, total)) if *total > 0.0 => Ok(sum / total),
        _ => Err(FigureRefused::EmptyCell(cell.clone())),
    };
    let own: Vec<f64> = cells.cells_of_people.iter().map(of_cell).collect::<Result<_, _>>()?;
    let alone = Figure::new(twins.mean(), twins.squared_error(), level);
    let paired = PairedSample { weights: cells.weights, ..PairedSample::new(cells.people, &own, &[]) };
    let Some(shares) = cells.shares else {
        let others: Vec<f64> = cells.cells_of_twins.iter().map(of_cell).collect::<Result<_, _>>()?;
        let sample = PairedSample { others: &others, weights_of_others: cells.weights_of_twins, ..paired };
        return Ok(Rectified { twins: alone, ..sample.mean(level)? });
    };
    if (shares.values().sum::<f64>() - 1.0).abs() > 1e-6 {
        return Err(FigureRefused::SharesNotOne);
    }
    let has_share = |cell: &&String| shares.get(*cell).is_some_and(|share| *share > 0.0);
    if let Some(without) = cells.cells_of_people.iter().find(|cell| !has_share(cell)) {
        return Err(FigureRefused::CellWithoutShare(without.clone()));
    }
    let mut known = 0.0;
    for (cell, share) in shares.iter().filter(|(_, share)| **share > 0.0) {
        known += share * of_cell(cell).map_err(|_| FigureRefused::UnknownCell(cell.clone()))?;
    }
    let lambda = ratio(paired.people().joint_error(&paired.twins()), paired.twins().squared_error());
    let others = [known];
    let sample = PairedSample { others: &others, ..paired };
    let with = |lambda| sample.estimate(lambda, level);
    let twins = Figure::new(known, alone.variance, level);
    let figures = [with(0.0), twins, with(1.0), with(lambda)];
    let found = Rectified::new(n, cells.twins.len(), lambda, paired.rho(), figures);
    Ok(Rectified { n_weighted: paired.kish(), ..found })
}
