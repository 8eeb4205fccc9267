use std::borrow::Cow;

use crate::sample::{mean, ones, total};

/// Values with weights. Without weights all count the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedValues<'a> {
    values: &'a [f64],
    weights: Option<&'a [f64]>,
}

impl<'a> WeightedValues<'a> {
    pub fn new(values: &'a [f64], weights: Option<&'a [f64]>) -> Self {
        Self { values, weights }
    }

    pub fn weights(&self) -> Cow<'a, [f64]> {
        self.weights.map_or_else(|| Cow::Owned(ones(self.values.len())), Cow::Borrowed)
    }

    /// Each value with its weight, scaled to a mean weight of 1.
    pub fn scaled(&self) -> impl Iterator<Item = (f64, f64)> {
        let weights = self.weights();
        let scale = self.values.len() as f64 / total(&weights);
        let values = self.values;
        (0..values.len()).map(move |place| (values[place], weights[place] * scale))
    }

    /// The weighted mean; 0 without values.
    pub fn mean(&self) -> f64 {
        mean(self.values, &self.weights()).unwrap_or(0.0)
    }

    /// Squared error of the mean: `var/n` with ddof 0, linearised for weights.
    pub fn squared_error(&self) -> f64 {
        self.joint_error(self)
    }

    /// Covariance of both means, which have the same weights.
    pub fn joint_error(&self, other: &Self) -> f64 {
        let (mean, mean_of_other) = (self.mean(), other.mean());
        let n = self.values.len().max(1) as f64;
        let product = |((value, weight), (of_other, _)): ((f64, f64), (f64, f64))| {
            weight * weight * (value - mean) * (of_other - mean_of_other)
        };
        self.scaled().zip(other.scaled()).map(product).sum::<f64>() / (n * n)
    }
}
