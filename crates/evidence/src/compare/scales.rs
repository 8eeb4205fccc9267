//! Pitfalls of scales, against what people do: straight lines, and agreement with items and their reverses.

use super::{Column, Respondents};
use crate::diagnostics::{BalancedItem, Diagnostic, Finding, Thresholds, mixed_keys, straight_lining};

/// Items that are answered with the same labels, the last of which is full agreement.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedScale {
    pub name: String,
    /// Whether the items are rows of one table, in which a straight line can be drawn.
    pub is_matrix: bool,
    pub items: Vec<KeyedItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeyedItem {
    pub name: String,
    pub categories: usize,
    /// Whether agreement means the opposite of what the scale measures.
    pub is_reversed: bool,
}

/// Returns the findings on straight lines and on mixed keys for each scale that both sides answered.
pub fn scale_pitfalls(
    scales: &[KeyedScale],
    people: &Respondents,
    twins: &Respondents,
    thresholds: &Thresholds,
) -> Vec<(Diagnostic, Vec<Finding>)> {
    let matrices = scales.iter().filter(|scale| scale.is_matrix);
    let straight = matrices.filter_map(|scale| {
        let (people, twins) = (scale.rows(people)?, scale.rows(twins)?);
        straight_lining(&scale.name, &twins, Some(&people), thresholds)
    });
    let mixed = scales.iter().filter_map(|scale| {
        let (people, twins) = (scale.balanced(people)?, scale.balanced(twins)?);
        mixed_keys(&scale.name, &twins, Some(&people), thresholds)
    });
    vec![(Diagnostic::StraightLining, straight.collect()), (Diagnostic::MixedKeys, mixed.collect())]
}

impl KeyedScale {
    /// Returns the complete rows of answers. `None` if nobody answered all items.
    pub fn rows(&self, side: &Respondents) -> Option<Vec<Vec<f64>>> {
        let columns = self.items.iter().map(|item| numbers(side, &item.name)).collect::<Option<Vec<_>>>()?;
        let row = |row: usize| columns.iter().map(|column| column.get(row).copied().flatten()).collect();
        let rows: Vec<Vec<f64>> = (0..side.ids.len()).filter_map(row).collect();
        (!rows.is_empty()).then_some(rows)
    }

    /// Returns the items with the answers of this side. `None` if the side does not have all items.
    pub fn balanced<'a>(&self, side: &'a Respondents) -> Option<Vec<BalancedItem<'a>>> {
        let balanced = |item: &KeyedItem| {
            let KeyedItem { name, categories, is_reversed } = item;
            Some(BalancedItem { twins: numbers(side, name)?, categories: *categories, is_reversed: *is_reversed })
        };
        self.items.iter().map(balanced).collect()
    }
}

fn numbers<'a>(side: &'a Respondents, item: &str) -> Option<&'a [Option<f64>]> {
    match side.answers.get(item)? {
        Column::Numbers(values) => Some(values),
        Column::Selections(_) => None,
    }
}
