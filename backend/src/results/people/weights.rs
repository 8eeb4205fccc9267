//! How much each person and each twin counts: by a column, or so that their shares are a population's.

use std::collections::BTreeMap;

use evidence::compare::Respondents;
use evidence::weights::{Margin, effective_n, rake};

use super::Chosen;
use crate::error::{Error, Result};

/// By attribute the share of each of its levels in the population, 0 to 1; together 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Margins(pub BTreeMap<String, BTreeMap<String, f64>>);

/// How people, and perhaps twins, were weighted.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighting {
    /// Kish's effective number of people and, where they have weights, of twins.
    pub people: f64,
    pub twins: Option<f64>,
    /// People whose weight was cut to 1/5 or 5 times the mean; `None`: weights are a column.
    pub trimmed: Option<usize>,
}

impl Margins {
    pub fn attributes(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Weights of these twins, of mean 1, as a comparison gives them. Bad input: the shares cannot be reached.
    pub fn of_twins(&self, twins: &Respondents) -> Result<Vec<f64>> {
        Ok(self.of("twins", twins)?.0)
    }

    /// Weights of mean 1, and how many of them were cut. Whoever has no value in an attribute, or one without a share, counts
    /// for nothing.
    fn of(&self, side: &str, respondents: &Respondents) -> Result<(Vec<f64>, usize)> {
        let refused = |name: &str, reason: String| Error::bad_input(format!("margins.{name}: {reason}"));
        let mut kept: Vec<usize> = (0..respondents.ids.len()).collect();
        for (name, shares) in &self.0 {
            let levels = respondents.attributes.get(name);
            let level = |row: usize| levels.and_then(|levels| levels.get(row)).and_then(Option::as_deref);
            if let Some(unknown) = kept.iter().find_map(|row| level(*row).filter(|at| !shares.contains_key(*at))) {
                let reason = format!("{side} have {unknown}: give it a share, 0 where the population has none");
                return Err(refused(name, reason));
            }
            kept.retain(|row| level(*row).and_then(|at| shares.get(at)).is_some_and(|share| *share > 0.0));
        }
        let mut margins = Vec::with_capacity(self.0.len());
        for (name, shares) in &self.0 {
            let used: Vec<(&String, f64)> =
                shares.iter().filter(|(_, share)| **share > 0.0).map(|(at, share)| (at, *share)).collect();
            let place = |row: &usize| {
                let level = respondents.attributes.get(name)?.get(*row)?.as_ref()?;
                used.iter().position(|(at, _)| *at == level)
            };
            let levels: Vec<usize> = kept.iter().filter_map(place).collect();
            if let Some((_, (at, _))) = used.iter().enumerate().find(|(place, _)| !levels.contains(place)) {
                return Err(refused(name, format!("none of the {side} is {at}, which has a share")));
            }
            margins.push(Margin {
                attribute: name.clone(),
                levels,
                shares: used.iter().map(|(_, share)| *share).collect(),
            });
        }
        let raked =
            rake(kept.len(), &margins).map_err(|refusal| Error::bad_input(format!("margins: {side}: {refusal}")))?;
        let mut weights = vec![0.0; respondents.ids.len()];
        for (row, weight) in kept.into_iter().zip(raked.weights) {
            weights[row] = weight;
        }
        Ok((weights, raked.trimmed))
    }
}

/// Gives people, and twins that have the attributes or a weight, what they count for. `None`: everybody counts the same.
pub(super) fn weigh(people: &mut Respondents, twins: &mut [Respondents], chosen: &Chosen) -> Result<Option<Weighting>> {
    let mut trimmed = None;
    if !chosen.margins.0.is_empty() {
        if chosen.weight.is_some() || chosen.twin_weight.is_some() {
            return Err(Error::bad_input("margins: weights are those of a column or of margins, not of both"));
        }
        let (weights, cut) = chosen.margins.of("people", people)?;
        (people.weights, trimmed) = (Some(weights), Some(cut));
        for side in twins.iter_mut() {
            // Of twins all margins are known or none.
            if chosen.margins.0.keys().all(|name| side.attributes.contains_key(name)) {
                side.weights = Some(chosen.margins.of("twins", side)?.0);
            }
        }
    }
    let n_of = |weights: &Option<Vec<f64>>| weights.as_deref().map(|weights| effective_n(weights).unwrap_or(0.0));
    let of_twins = twins.first().and_then(|side| n_of(&side.weights));
    for (name, n) in [("weight", n_of(&people.weights)), ("twinWeight", of_twins)] {
        if n == Some(0.0) {
            return Err(Error::bad_input(format!("{name}: no row has a number above 0 there")));
        }
    }
    let everybody = people.ids.len() as f64;
    let n = n_of(&people.weights);
    Ok((n.is_some() || of_twins.is_some()).then(|| Weighting {
        people: n.unwrap_or(everybody),
        twins: of_twins,
        trimmed,
    }))
}
