//! Unbounded amounts as deciles of the people's first answers.

use std::collections::BTreeMap;

use super::{ValidationData, ValidationItem};
use crate::metrics::{decile, deciles};
use crate::sample::quantile;

/// Answers by task and number of the group.
pub(super) struct Tenths(BTreeMap<(usize, usize), PooledAnswers>);

struct PooledAnswers {
    edges: Vec<f64>,
    /// The answers in ascending order.
    values: Vec<f64>,
}

impl PooledAnswers {
    fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self { edges: deciles(&values), values }
    }
}

impl Tenths {
    pub fn new(data: &ValidationData) -> Self {
        let mut pooled: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for item in &data.items {
            if let Some(number) = item.tenths {
                pooled.entry((item.task, number)).or_default().extend(item.first.iter().flatten());
            }
        }
        Self(pooled.into_iter().map(|(key, values)| (key, PooledAnswers::new(values))).collect())
    }

    /// Returns the answer on the item's scale. Values beyond its ends are cut to them.
    pub fn on_scale(&self, item: &ValidationItem, value: f64) -> f64 {
        match item.tenths.and_then(|number| self.0.get(&(item.task, number))) {
            Some(pooled) => decile(value, &pooled.edges),
            None => value.clamp(item.min, item.max),
        }
    }

    /// Returns the amount in the middle of a decile; for other items, the answer itself.
    pub fn amount(&self, item: &ValidationItem, value: f64) -> f64 {
        match item.tenths.and_then(|number| self.0.get(&(item.task, number))) {
            Some(pooled) => quantile(&pooled.values, (value - 0.5) / 10.0).unwrap_or(f64::NAN),
            None => value,
        }
    }
}
