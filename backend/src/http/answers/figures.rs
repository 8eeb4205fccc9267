//! Figures with their intervals, as comparisons show them.

use evidence::compare::MetricValue;
use evidence::intervals::{Estimate, Interval};
use serde::Serialize;
use utoipa::ToSchema;

/// A figure with its interval.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct Figure {
    #[schema(example = 0.75)]
    value: f64,
    /// Answers, people or questions that it stands on.
    #[schema(example = 200)]
    n: usize,
    /// Null where there is no interval; then `note` says why.
    low: Option<f64>,
    high: Option<f64>,
    note: Option<&'static str>,
}

impl From<&Estimate> for Figure {
    fn from(Estimate { value, n, interval, note }: &Estimate) -> Self {
        let (low, high) = ends(*interval);
        Self { value: *value, n: *n, low, high, note: *note }
    }
}

pub(in crate::http) fn ends(interval: Option<Interval>) -> (Option<f64>, Option<f64>) {
    (interval.map(|interval| interval.low), interval.map(|interval| interval.high))
}

/// A metric of `docs/evidence.md`.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct MetricFigure {
    #[schema(example = "accuracy")]
    metric: &'static str,
    #[serde(flatten)]
    figure: Figure,
}

impl MetricFigure {
    /// `None`: it is another metric.
    pub fn value_of(&self, metric: &str) -> Option<f64> {
        (self.metric == metric).then_some(self.figure.value)
    }
}

impl From<&MetricValue> for MetricFigure {
    fn from(MetricValue { metric, estimate }: &MetricValue) -> Self {
        Self { metric, figure: Figure::from(estimate) }
    }
}
