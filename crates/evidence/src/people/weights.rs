//! Weights of people and twins: from a column, or so that their shares are those of a population.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compare::Respondents;
use crate::options::{ComparisonOptions, Shares};
use crate::sample::effective_n;
use crate::weights::{Margin, rake};

/// How people, and perhaps twins, were weighted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PeopleWeights))]
pub struct Weighting {
    /// Kish's effective number of people: the number without weights that is as informative.
    #[cfg_attr(feature = "openapi", schema(example = 171.4))]
    pub people: f64,
    /// Kish's effective number of twins; null if their weights are equal.
    pub twins: Option<f64>,
    /// Number of people whose weight was cut to 1/5 or 5 times the mean. Only with margins.
    pub trimmed: Option<usize>,
}

/// Computes weights of mean 1 that give these respondents the shares of each attribute's levels, and the number of
/// weights that were cut. A respondent without a value in an attribute, or with a level without a share, has weight 0.
/// Fails with a sentence if the shares cannot be reached.
pub fn margin_weights(
    margins: &BTreeMap<String, Shares>,
    side: &str,
    respondents: &Respondents,
) -> Result<(Vec<f64>, usize), String> {
    let refused = |name: &str, reason: String| format!("margins.{name}: {reason}");
    let mut kept: Vec<usize> = (0..respondents.ids.len()).collect();
    for (name, shares) in margins {
        let levels = respondents.attributes.get(name);
        let level = |row: usize| levels.and_then(|levels| levels.get(row)).and_then(Option::as_deref);
        if let Some(unknown) = kept.iter().find_map(|row| level(*row).filter(|at| !shares.contains_key(*at))) {
            let reason = format!("{side} have {unknown}: give it a share, 0 where the population has none");
            return Err(refused(name, reason));
        }
        kept.retain(|row| level(*row).and_then(|at| shares.get(at)).is_some_and(|share| *share > 0.0));
    }
    let mut raked_by = Vec::with_capacity(margins.len());
    for (name, shares) in margins {
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
        let shares = used.iter().map(|(_, share)| *share).collect();
        raked_by.push(Margin { attribute: name.clone(), levels, shares });
    }
    let raked = rake(kept.len(), &raked_by).map_err(|refusal| format!("margins: {side}: {refusal}"))?;
    let mut weights = vec![0.0; respondents.ids.len()];
    for (row, weight) in kept.into_iter().zip(raked.weights) {
        weights[row] = weight;
    }
    Ok((weights, raked.trimmed))
}

/// Weights people, and twins that have the attributes or a weight. `None` if all weights are equal. Fails with a
/// sentence if shares cannot be reached, or all weights are 0.
pub fn weigh(
    people: &mut Respondents,
    twins: &mut [Respondents],
    options: &ComparisonOptions,
) -> Result<Option<Weighting>, String> {
    let mut trimmed = None;
    if !options.margins.is_empty() {
        if options.weight.is_some() || options.twin_weight.is_some() {
            return Err("margins: weights are those of a column or of margins, not of both".to_owned());
        }
        let (weights, cut) = margin_weights(&options.margins, "people", people)?;
        (people.weights, trimmed) = (Some(weights), Some(cut));
        for side in twins.iter_mut() {
            // Twins are weighted only if they have the attributes of all margins.
            if options.margins.keys().all(|name| side.attributes.contains_key(name)) {
                side.weights = Some(margin_weights(&options.margins, "twins", side)?.0);
            }
        }
    }
    let n_of = |weights: &Option<Vec<f64>>| weights.as_deref().map(|weights| effective_n(weights).unwrap_or(0.0));
    let of_twins = twins.first().and_then(|side| n_of(&side.weights));
    for (name, n) in [("weight", n_of(&people.weights)), ("twinWeight", of_twins)] {
        if n == Some(0.0) {
            return Err(format!("{name}: no row has a number above 0 there"));
        }
    }
    let n = n_of(&people.weights);
    Ok((n.is_some() || of_twins.is_some()).then(|| Weighting {
        people: n.unwrap_or(people.ids.len() as f64),
        twins: of_twins,
        trimmed,
    }))
}
