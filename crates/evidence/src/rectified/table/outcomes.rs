//! The outcomes by which an item is estimated: its mean, or the share of each category or option.

use crate::compare::{Item, ItemKind, Respondents};

/// The value of a respondent's answer; 0 or 1 for a share.
pub(super) type Outcome<'a> = Box<dyn Fn(&Respondents, usize) -> Option<f64> + 'a>;

pub(super) fn number(item: &Item) -> Outcome<'_> {
    Box::new(|side, row| side.number(&item.name, row))
}

/// Whether the answer is category `k`, from 1.
pub(super) fn is(item: &Item, k: usize) -> Outcome<'_> {
    Box::new(move |side, row| side.number(&item.name, row).map(|value| f64::from(u8::from(value == k as f64))))
}

/// Whether the option at this position was chosen.
pub(super) fn chose(item: &Item, place: usize) -> Outcome<'_> {
    Box::new(move |side, row| {
        let selection = side.selection(&item.name, row)?;
        Some(f64::from(u8::from(selection.get(place).copied().unwrap_or(false))))
    })
}

/// The labels of an item's categories, if it has no order.
pub(super) fn categories(item: &Item) -> Vec<String> {
    match &item.kind {
        ItemKind::Single { scale, labels } => {
            let label = |k: usize| labels.get(k - 1).cloned().unwrap_or_else(|| k.to_string());
            (1..=scale.categories().unwrap_or(labels.len())).map(label).collect()
        }
        ItemKind::Multiple { labels } => labels.clone(),
    }
}

/// Each share of an item with its label, or its mean, which has no label.
pub(super) fn of_item(item: &Item) -> Vec<(Option<String>, Outcome<'_>)> {
    let labelled = categories(item).into_iter().enumerate();
    match &item.kind {
        ItemKind::Single { scale, .. } if scale.is_ordered() => vec![(None, number(item))],
        ItemKind::Single { .. } => labelled.map(|(place, label)| (Some(label), is(item, place + 1))).collect(),
        ItemKind::Multiple { .. } => labelled.map(|(place, label)| (Some(label), chose(item, place))).collect(),
    }
}
