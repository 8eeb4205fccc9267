use std::collections::BTreeMap;

use serde::Serialize;

use super::{Item, ItemKind, Respondents, Settings};
use crate::effects::{Agreement, Difference, EffectPair, EffectSummary, agreement, newcombe, paired, summarise, welch};
use crate::groups::AdjustedTest;
use crate::sample::Mean;

/// The effect of an arm on one question, against the reference arm, among people and among twins.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = EffectOfArm))]
pub struct Contrast {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub item: String,
    /// The option whose share is compared, for questions without an order.
    pub category: Option<String>,
    #[cfg_attr(feature = "openapi", schema(example = "resort"))]
    pub arm: String,
    /// The effect among people. Intervals of shares are Newcombe's.
    pub people: Difference,
    pub twins: Difference,
    #[serde(flatten)]
    pub agreement: Agreement,
    /// p of the people's effect, adjusted by Benjamini and Hochberg over the table, also where a frozen plan has another rule.
    pub q_people: f64,
    pub q_twins: f64,
    /// The effect among people, among the others of the table.
    pub adjusted_people: AdjustedTest,
    /// The effect among twins, among the others of the table.
    pub adjusted_twins: AdjustedTest,
}

/// Effects of an experiment's arms among people and among twins.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = Arms))]
pub struct ArmTable {
    /// The first arm by name. Every other arm is compared with it.
    #[cfg_attr(feature = "openapi", schema(example = "control"))]
    pub reference: String,
    /// Whether each twin answered in every arm, so that it is compared with itself.
    pub twins_in_all_arms: bool,
    pub effects: Vec<Contrast>,
    /// Agreement over all effects; null without effects.
    pub agreement: Option<EffectSummary>,
}

/// Compares the arms. `None` unless both sides have the same arms, at least two.
pub(super) fn table(items: &[Item], people: &Respondents, twins: &Respondents, settings: Settings) -> Option<ArmTable> {
    let (of_people, of_twins) = (rows_of_arms(people)?, rows_of_arms(twins)?);
    let common: Vec<&str> = of_people.keys().copied().filter(|arm| of_twins.contains_key(arm)).collect();
    let (reference, others) = common.split_first()?;
    if others.is_empty() {
        return None;
    }
    let level = settings.bootstrap.level;
    let twins_in_all_arms = others.iter().all(|arm| !in_both(twins, &of_twins[arm], &of_twins[reference]).is_empty());
    let (mut contrasts, mut newcombes) = (Vec::new(), Vec::new());
    for item in items {
        for (category, outcome) in outcomes(item) {
            for arm in others {
                let human = independent(people, &outcome, &of_people[arm], &of_people[reference], level);
                let twin = if twins_in_all_arms {
                    within(twins, &outcome, &in_both(twins, &of_twins[arm], &of_twins[reference]), level)
                } else {
                    independent(twins, &outcome, &of_twins[arm], &of_twins[reference], level)
                };
                let Some((human, twin)) = human.zip(twin) else { continue };
                let shares = |side: &Respondents, rows: &BTreeMap<&str, Vec<usize>>| {
                    let (a, b) = (values(side, &outcome, &rows[arm]), values(side, &outcome, &rows[reference]));
                    let share = |(values, weights): (Vec<f64>, Vec<f64>)| {
                        let n = crate::sample::effective_n(&weights)?;
                        Some((crate::sample::mean(&values, &weights)? * n, n))
                    };
                    let ((a, n), (b, m)) = share(a).zip(share(b))?;
                    newcombe(a, n, b, m, level).map(|(_, interval)| interval)
                };
                newcombes
                    .push(category.as_ref().and_then(|_| shares(people, &of_people).zip(shares(twins, &of_twins))));
                contrasts.push(Contrast {
                    item: item.name.clone(),
                    category: category.clone(),
                    arm: (*arm).to_owned(),
                    people: human,
                    twins: twin,
                    q_people: f64::NAN,
                    q_twins: f64::NAN,
                    adjusted_people: AdjustedTest::default(),
                    adjusted_twins: AdjustedTest::default(),
                    agreement: agreement(&human, &twin, level),
                });
            }
        }
    }
    let pairs: Vec<EffectPair> = contrasts
        .iter()
        .map(|contrast| EffectPair { item: &contrast.item, people: contrast.people, twins: contrast.twins })
        .collect();
    let agreement = summarise(&pairs, settings.bootstrap);
    // Effects are compared by Welch's intervals, but shares are shown with Newcombe's.
    for (contrast, newcombe) in contrasts.iter_mut().zip(newcombes) {
        if let Some((people, twins)) = newcombe {
            (contrast.people, contrast.twins) = (contrast.people.with(people), contrast.twins.with(twins));
        }
    }
    Some(ArmTable { reference: (*reference).to_owned(), twins_in_all_arms, effects: contrasts, agreement })
}

fn rows_of_arms(side: &Respondents) -> Option<BTreeMap<&str, Vec<usize>>> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, arm) in side.arms.as_ref()?.iter().enumerate().filter(|(_, arm)| !arm.is_empty()) {
        rows.entry(arm).or_default().push(row);
    }
    Some(rows)
}

/// The outcome of a respondent's row: the item's number, or 0 or 1 for a category.
type Outcome<'a> = Box<dyn Fn(&Respondents, usize) -> Option<f64> + 'a>;

fn outcomes(item: &Item) -> Vec<(Option<String>, Outcome<'_>)> {
    match &item.kind {
        ItemKind::Single { scale, labels } => match scale.categories().filter(|_| !scale.is_ordered()) {
            None => vec![(None, Box::new(|side: &Respondents, row| side.number(&item.name, row)))],
            Some(categories) => {
                // Of two categories, the second share follows from the first.
                let shown = if categories == 2 { 1 } else { categories };
                let outcome = |category: usize| {
                    let label = labels.get(category - 1).cloned().unwrap_or_else(|| category.to_string());
                    let is_it = move |value: f64| f64::from(value == category as f64);
                    let of_row = move |side: &Respondents, row| side.number(&item.name, row).map(is_it);
                    (Some(label), Box::new(of_row) as Outcome)
                };
                (1..=shown).map(outcome).collect()
            }
        },
        ItemKind::Multiple { labels } => {
            let outcome = |(option, label): (usize, &String)| {
                let of_row = move |side: &Respondents, row| {
                    side.selection(&item.name, row).map(|chosen| f64::from(chosen.get(option) == Some(&true)))
                };
                (Some(label.clone()), Box::new(of_row) as Outcome)
            };
            labels.iter().enumerate().map(outcome).collect()
        }
    }
}

fn values(side: &Respondents, outcome: &Outcome, rows: &[usize]) -> (Vec<f64>, Vec<f64>) {
    rows.iter().filter_map(|row| Some((outcome(side, *row)?, side.weight(*row)))).unzip()
}

fn independent(
    side: &Respondents,
    outcome: &Outcome,
    arm: &[usize],
    reference: &[usize],
    level: f64,
) -> Option<Difference> {
    let mean = |rows| {
        let (values, weights) = values(side, outcome, rows);
        Mean::compute(&values, &weights)
    };
    welch(mean(arm)?, mean(reference)?, level)
}

/// Returns the rows of respondents who answered in both arms.
fn in_both(side: &Respondents, arm: &[usize], reference: &[usize]) -> Vec<(usize, usize)> {
    let others: BTreeMap<&str, usize> = reference.iter().map(|row| (side.ids[*row].as_str(), *row)).collect();
    arm.iter().filter_map(|row| Some((*row, *others.get(side.ids[*row].as_str())?))).collect()
}

fn within(side: &Respondents, outcome: &Outcome, rows: &[(usize, usize)], level: f64) -> Option<Difference> {
    let complete = rows
        .iter()
        .filter_map(|(arm, reference)| Some(((outcome(side, *arm)?, outcome(side, *reference)?), side.weight(*arm))));
    let (answers, weights): (Vec<(f64, f64)>, Vec<f64>) = complete.unzip();
    let (first, second): (Vec<f64>, Vec<f64>) = answers.into_iter().unzip();
    paired(&first, &second, &weights, level)
}
