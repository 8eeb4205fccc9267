//! A question, or a row of a matrix, that was asked twice.

use evidence::groups::LEVEL;
use evidence::intervals::{Interval, of_share};
use serde::Serialize;

use super::agreement::IdenticalAnswers;

/// A share with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IdenticalShare {
    pub share: f64,
    pub low: f64,
    pub high: f64,
    /// Twins that answered both times.
    pub twins: usize,
}

impl IdenticalShare {
    /// `twins`: how many independent pairs there are. `None` without any.
    pub fn of(counted: IdenticalAnswers, twins: usize) -> Option<Self> {
        let share = counted.identical as f64 / counted.pairs as f64;
        let Interval { low, high } = of_share(share * twins as f64, twins as f64, LEVEL)?;
        Some(Self { share, low, high, twins })
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// A question, or a row of a matrix, then and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReproducedItem {
    pub name: String,
    pub identical: IdenticalShare,
    /// Identical answers of the run and the repeats of its study.
    pub identical_in_repeats: Option<IdenticalShare>,
    /// How far the distributions are apart, with its interval; of items with options.
    pub tvd: Option<f64>,
    pub tvd_interval: Option<[f64; 2]>,
    pub mean_then: Option<f64>,
    pub mean_now: Option<f64>,
    /// The mean now less the mean then, over twins that answered both times; its interval is missing where all differ by the same.
    pub shift: Option<f64>,
    pub shift_interval: Option<[f64; 2]>,
}

impl ReproducedItem {
    /// Whether the mean has surely changed.
    pub fn has_moved(&self) -> bool {
        match (self.shift, self.shift_interval) {
            (_, Some([low, high])) => low > 0.0 || high < 0.0,
            // All differ by the same.
            (Some(shift), None) => shift != 0.0 && self.identical.twins > 1,
            (None, None) => false,
        }
    }
}
