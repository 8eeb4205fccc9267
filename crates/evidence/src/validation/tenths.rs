//! Amounts without a bound become tenths of the people's first answers.

use std::collections::BTreeMap;

use super::{ValidationData, ValidationItem};
use crate::metrics::{decile, deciles};

/// The edges of the tenths, by task and number.
pub(super) struct Tenths(BTreeMap<(usize, usize), Vec<f64>>);

impl Tenths {
    pub fn of(data: &ValidationData) -> Self {
        let mut pooled: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for item in &data.items {
            if let Some(number) = item.tenths {
                pooled.entry((item.task, number)).or_default().extend(item.first.iter().flatten());
            }
        }
        Self(pooled.into_iter().map(|(key, values)| (key, deciles(&values))).collect())
    }

    /// The answer on the item's scale; what lies beyond its ends counts as its end.
    pub fn on_scale(&self, item: &ValidationItem, value: f64) -> f64 {
        match item.tenths.and_then(|number| self.0.get(&(item.task, number))) {
            Some(edges) => decile(value, edges),
            None => value.clamp(item.min, item.max),
        }
    }
}
