//! The design of an experiment beside its answers: the order of its arms, the questions before them, and the questions
//! that are one outcome.

use std::collections::{BTreeMap, BTreeSet};

use super::data::score;
use super::{Item, ItemKind, Respondents};

/// The design of an experiment. Without it, arms are ordered by name and every item is an outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Experiment {
    /// The random node whose arms they are.
    pub node: Option<String>,
    /// Names of the arms in the order of the design. Other arms follow by name.
    pub arms: Vec<String>,
    /// Names of the items that were asked before the arms were dealt. They check the balance of the arms, and effects can be
    /// adjusted for them. `None` if the order is not known.
    pub before: Option<BTreeSet<String>>,
    /// Names of the items that were asked in a drawn order beside the arms, before them of some and after them of others.
    /// They are no outcomes either.
    pub beside: BTreeSet<String>,
    /// Items that are one outcome, by its name.
    pub outcomes: BTreeMap<String, Vec<String>>,
    /// Names of items and attributes for which effects are adjusted.
    pub covariates: Vec<String>,
    /// Attributes that are covariates alone, and make no subgroups.
    pub ungrouped: BTreeSet<String>,
}

impl Experiment {
    /// Whether the item is no outcome of the arms.
    fn is_balance(&self, item: &str) -> bool {
        self.beside.contains(item) || self.before.as_ref().is_some_and(|before| before.contains(item))
    }

    /// Sorts arms in the order of the design.
    pub(super) fn sort<'a>(&self, arms: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let mut arms: Vec<&str> = arms.collect();
        arms.sort_by_key(|arm| (self.arms.iter().position(|known| known == arm).unwrap_or(usize::MAX), *arm));
        arms
    }
}

/// An outcome that is compared between arms: a number, or whether an option was chosen, of one item or of several.
pub(super) struct ArmOutcome {
    pub name: String,
    /// The option, for a share.
    pub category: Option<String>,
    /// The items.
    pub made_of: Vec<String>,
    /// The scores of the ordered categories of each item.
    scores: Vec<Vec<f64>>,
    /// Whether it checks the balance of the arms, because no item was asked after them.
    pub is_balance: bool,
    value: Value,
}

#[derive(Clone, Copy)]
enum Value {
    Number,
    /// Whether the answer is this category.
    Category(f64),
    /// Whether the option at this position was chosen.
    Option(usize),
}

impl ArmOutcome {
    /// The answers of a respondent's row: one, or one for each item that was answered.
    pub fn values(&self, side: &Respondents, row: usize) -> impl Iterator<Item = f64> {
        self.made_of.iter().zip(&self.scores).filter_map(move |(item, scores)| match self.value {
            Value::Number => side.number(item, row).map(|value| score(scores, value)),
            Value::Category(category) => side.number(item, row).map(|value| f64::from(value == category)),
            Value::Option(place) => side.selection(item, row).map(|chosen| f64::from(chosen.get(place) == Some(&true))),
        })
    }
}

/// All outcomes in the order of the items: what the experiment names, copies of a question of which each arm has its own,
/// and all other items.
pub(super) fn outcomes(items: &[Item], experiment: &Experiment, [people, twins]: [&Respondents; 2]) -> Vec<ArmOutcome> {
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    // The place of the first item, the name and the items of each outcome.
    let mut found: Vec<(usize, String, Vec<&Item>)> = Vec::new();
    for (name, members) in &experiment.outcomes {
        let members: Vec<(usize, &Item)> =
            items.iter().enumerate().filter(|(_, item)| members.contains(&item.name)).collect();
        let Some((place, first)) = members.first() else { continue };
        let of: Vec<&Item> = members.iter().map(|(_, item)| *item).filter(|item| item.kind == first.kind).collect();
        taken.extend(of.iter().map(|item| item.name.as_str()));
        found.push((*place, name.clone(), of));
    }
    for (place, copies) in copies(items, experiment, &taken, [people, twins]) {
        taken.extend(copies.iter().map(|item| item.name.as_str()));
        found.push((place, name_of(&copies), copies));
    }
    for (place, item) in items.iter().enumerate().filter(|(_, item)| !taken.contains(item.name.as_str())) {
        found.push((place, item.name.clone(), vec![item]));
    }
    found.sort_by_key(|(place, ..)| *place);
    found.into_iter().flat_map(|(_, name, of)| values(&name, &of, experiment)).collect()
}

/// Copies of a question of which each arm has its own: the same text and the same options, each asked in one arm, and none
/// answered twice by a respondent.
fn copies<'a>(
    items: &'a [Item],
    experiment: &Experiment,
    taken: &BTreeSet<&str>,
    sides: [&Respondents; 2],
) -> Vec<(usize, Vec<&'a Item>)> {
    let mut alike: BTreeMap<String, Vec<(usize, &Item)>> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        let words = item.text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
        if !words.is_empty() && !taken.contains(item.name.as_str()) && !experiment.is_balance(&item.name) {
            alike.entry(words).or_default().push((place, item));
        }
    }
    let mut found = Vec::new();
    for same in alike.into_values() {
        let Some((place, first)) = same.first().copied() else { continue };
        let same: Vec<&Item> = same.into_iter().map(|(_, item)| item).filter(|item| item.kind == first.kind).collect();
        if same.len() > 1 && sides.iter().all(|side| are_of_own_arms(&same, side)) {
            found.push((place, same));
        }
    }
    found
}

/// Whether each item was asked in one arm at most, no two in the same, and at least two were asked.
fn are_of_own_arms(items: &[&Item], side: &Respondents) -> bool {
    let Some(arms) = &side.arms else { return false };
    let mut of_arms: BTreeMap<&str, &str> = BTreeMap::new();
    let mut arm_of: BTreeMap<&str, &str> = BTreeMap::new();
    for (row, arm) in arms.iter().enumerate().filter(|(_, arm)| !arm.is_empty()) {
        for item in items {
            let is_answered = side.number(&item.name, row).is_some() || side.selection(&item.name, row).is_some();
            if is_answered
                && (*of_arms.entry(arm).or_insert(&item.name) != item.name
                    || *arm_of.entry(&item.name).or_insert(arm) != arm)
            {
                return false;
            }
        }
    }
    arm_of.len() > 1
}

/// The name of copies: those of the first two, and how many more there are.
fn name_of(copies: &[&Item]) -> String {
    match copies {
        [first, second] => format!("{} = {}", first.name, second.name),
        [first, second, more @ ..] => format!("{} = {} = {} more", first.name, second.name, more.len()),
        _ => copies.first().map(|item| item.name.clone()).unwrap_or_default(),
    }
}

/// The number of an ordered outcome, or each of its shares.
fn values(name: &str, items: &[&Item], experiment: &Experiment) -> Vec<ArmOutcome> {
    let Some(first) = items.first() else { return Vec::new() };
    let outcome = |category: Option<String>, value: Value| ArmOutcome {
        name: name.to_owned(),
        category,
        made_of: items.iter().map(|item| item.name.clone()).collect(),
        scores: items.iter().map(|item| item.scores.clone()).collect(),
        is_balance: items.iter().all(|item| experiment.is_balance(&item.name)),
        value,
    };
    match &first.kind {
        ItemKind::Single { scale, labels } => match scale.categories().filter(|_| !scale.is_ordered()) {
            None => vec![outcome(None, Value::Number)],
            Some(categories) => {
                // Of two categories, the second share follows from the first.
                let shown = if categories == 2 { 1 } else { categories };
                let share = |category: usize| {
                    let label = labels.get(category - 1).cloned().unwrap_or_else(|| category.to_string());
                    outcome(Some(label), Value::Category(category as f64))
                };
                (1..=shown).map(share).collect()
            }
        },
        ItemKind::Multiple { labels } => {
            labels.iter().enumerate().map(|(place, label)| outcome(Some(label.clone()), Value::Option(place))).collect()
        }
    }
}
