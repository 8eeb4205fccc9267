//! Twins that are too much alike.

use std::collections::{BTreeMap, BTreeSet};

use super::{Diagnostic, Finding, Thresholds};
use crate::metrics::sd_ratio;
use crate::sample::ones;

/// The share of the most frequent answer to an item; `None` without answers.
pub fn modal_answer(item: &str, twins: &[f64], thresholds: &Thresholds) -> Option<Finding> {
    let mode = *crate::baselines::modal(twins).first()?;
    let share = twins.iter().filter(|value| **value == mode).count() as f64 / twins.len() as f64;
    Some(Finding::above(Diagnostic::ModalAnswer, item, share, thresholds.modal_share, twins.len()))
}

/// The spread of twins over that of people (or of a validation's people); `None` if all people say the same.
pub fn spread(item: &str, people: &[f64], twins: &[f64], thresholds: &Thresholds) -> Option<Finding> {
    let ratio = sd_ratio(people, &ones(people.len()), twins, &ones(twins.len()))?;
    Some(Finding::below(Diagnostic::Spread, item, ratio, thresholds.sd_ratio, twins.len()))
}

/// The share of texts that, but for case and punctuation, equal another twin's; `None` without texts.
pub fn duplicate_texts(item: &str, texts: &[String], thresholds: &Thresholds) -> Option<Finding> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(words(text).join(" ")).or_default() += 1;
    }
    let doubled: usize = counts.values().filter(|count| **count > 1).sum();
    let share = doubled as f64 / texts.len() as f64;
    (!texts.is_empty())
        .then(|| Finding::above(Diagnostic::DuplicateTexts, item, share, thresholds.duplicate_texts, texts.len()))
}

/// Different words over all words, 0 to 1; compare only texts of similar length. `None` without words.
pub fn type_token_ratio(texts: &[String]) -> Option<f64> {
    let all: Vec<String> = texts.iter().flat_map(|text| words(text)).collect();
    let different: BTreeSet<&String> = all.iter().collect();
    (!all.is_empty()).then(|| different.len() as f64 / all.len() as f64)
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    split.map(str::to_lowercase).collect()
}
