use serde::{Deserialize, Serialize};

/// The meaning of an item's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Scale {
    /// Categories 1 to K without an order.
    Nominal { categories: usize },
    /// Categories 1 to K in order.
    Ordinal { categories: usize },
    /// Numbers with a known range.
    Interval { min: f64, max: f64 },
    /// Numbers without a known range, e.g. amounts of money.
    Unbounded,
}

impl Scale {
    /// K, or `None` for numbers.
    pub fn categories(self) -> Option<usize> {
        match self {
            Self::Nominal { categories } | Self::Ordinal { categories } => Some(categories),
            Self::Interval { .. } | Self::Unbounded => None,
        }
    }

    /// The highest possible value less the lowest. `None` if there is no order or no bound.
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

    /// Whether the scale has three or more categories without an order, whose numbers are only names. Two categories
    /// can be coded 0 and 1.
    pub fn is_only_named(self) -> bool {
        matches!(self, Self::Nominal { categories } if categories > 2)
    }

    /// Whether the value is an answer on this scale.
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

/// The decile (1 to 10) of the people's answers that contains a value. A value on an edge belongs to the lower decile.
pub(crate) fn decile(value: f64, edges: &[f64]) -> f64 {
    1.0 + edges.iter().filter(|edge| value > **edge).count() as f64
}
