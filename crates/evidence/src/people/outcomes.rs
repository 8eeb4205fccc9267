//! Adds the outcomes of formulas to the items that are compared.

use std::collections::BTreeMap;

use crate::compare::{Experiment, Item, Respondents};
use crate::formula::{ComputedOutcome, Formula, scale_reliability};

/// The items with those of formulas behind them.
pub(super) struct Computed {
    pub items: Vec<Item>,
    pub outcomes: Vec<ComputedOutcome>,
}

/// Returns the items and those of formulas behind them. Fails with a sentence that names the formula.
pub fn computed_items(items: &[Item], formulas: &BTreeMap<String, String>) -> Result<Vec<Item>, String> {
    let of_formulas = formulas.iter().map(|(name, text)| Ok(parsed(name, text, items)?.item(name, text)));
    items.iter().cloned().map(Ok).chain(of_formulas).collect()
}

fn parsed(name: &str, text: &str, items: &[Item]) -> Result<Formula, String> {
    if name.trim().is_empty() || items.iter().any(|item| item.name == name) {
        return Err(format!("formulas.{name}: an outcome needs a name that no question has"));
    }
    Formula::new(text, items).map_err(|refused| format!("formulas.{name}: {refused}"))
}

/// Computes the formulas for people and twins. Fails with a sentence that names the formula.
pub(super) fn compute(
    items: &[Item],
    people: &mut Respondents,
    twins: &mut [Respondents],
    formulas: &BTreeMap<String, String>,
) -> Result<Computed, String> {
    let mut computed = Computed { items: computed_items(items, formulas)?, outcomes: Vec::new() };
    for (name, text) in formulas {
        let formula = parsed(name, text, items)?;
        computed.outcomes.push(ComputedOutcome {
            name: name.clone(),
            formula: text.clone(),
            low: formula.range.map(|(low, _)| low),
            high: formula.range.map(|(_, high)| high),
            people: scale_reliability(&formula.parts(people)),
            twins: twins.first().and_then(|first| scale_reliability(&formula.parts(first))),
        });
        for side in std::iter::once(&mut *people).chain(twins.iter_mut()) {
            let column = formula.column(side);
            side.answers.insert(name.clone(), column);
        }
    }
    Ok(computed)
}

/// Returns the experiment with its formulas: an outcome of which no question was asked after the arms checks their balance.
pub fn placed(
    experiment: &Experiment,
    formulas: &BTreeMap<String, String>,
    items: &[Item],
) -> Result<Experiment, String> {
    let mut experiment = experiment.clone();
    for (name, text) in formulas {
        let formula = parsed(name, text, items)?;
        let Some(before) = &mut experiment.before else { continue };
        let names = formula.items();
        if names.iter().all(|item| before.contains(*item)) {
            before.insert(name.clone());
        } else if names.iter().all(|item| before.contains(*item) || experiment.beside.contains(*item)) {
            experiment.beside.insert(name.clone());
        }
    }
    Ok(experiment)
}
