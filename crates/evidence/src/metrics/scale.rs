use serde::{Deserialize, Serialize};

/// What an item's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Scale {
    /// Categories 1 to K without an order.
    Nominal { categories: usize },
    /// Categories 1 to K in order.
    Ordinal { categories: usize },
    /// Numbers of a known range.
    Interval { min: f64, max: f64 },
    /// Numbers without a known range, as amounts of money.
    Unbounded,
}

impl Scale {
    /// K; `None` for numbers.
    pub fn categories(self) -> Option<usize> {
        match self {
            Self::Nominal { categories } | Self::Ordinal { categories } => Some(categories),
            Self::Interval { .. } | Self::Unbounded => None,
        }
    }

    /// Largest less smallest value; `None` where there is no order or no bound.
    pub fn range(self) -> Option<f64> {
        match self {
            Self::Ordinal { categories } => Some(categories as f64 - 1.0),
            Self::Interval { min, max } => Some(max - min),
            Self::Nominal { .. } | Self::Unbounded => None,
        }
    }

    pub fn is_ordered(self) -> bool {
        !matches!(self, Self::Nominal { .. })
    }

    /// Three or more categories without an order: their numbers are only names. Of two either may be 0 and the other 1.
    pub fn is_only_named(self) -> bool {
        matches!(self, Self::Nominal { categories } if categories > 2)
    }

    /// Whether an answer can be on this scale.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Nominal { categories } | Self::Ordinal { categories } => {
                value.fract() == 0.0 && (1.0..=categories as f64).contains(&value)
            }
            Self::Interval { min, max } => (min..=max).contains(&value),
            Self::Unbounded => value.is_finite(),
        }
    }
}

/// The nine inner edges of the deciles of the people's answers.
pub fn deciles(human: &[f64]) -> Vec<f64> {
    let mut sorted = human.to_vec();
    sorted.sort_by(f64::total_cmp);
    (1..10).filter_map(|tenth| crate::sample::quantile(&sorted, f64::from(tenth) / 10.0)).collect()
}

/// 1 to 10: which tenth of the people's answers a value falls into; a value on an edge belongs to the lower tenth.
pub(crate) fn decile(value: f64, edges: &[f64]) -> f64 {
    1.0 + edges.iter().filter(|edge| value > **edge).count() as f64
}
