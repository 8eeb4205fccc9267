//! Diagnostics of a run's answers. Each measures one known pitfall and warns beyond its threshold. A warning says that
//! something should be looked at, not that it is wrong.

mod agreement;
mod diagnosis;
mod groups;
mod homogeneity;
mod matrices;
mod order;
mod stability;
mod texts;
mod validity;

use serde::{Deserialize, Serialize};

pub use agreement::{above_ceiling, hyper_rationality, published};
pub use diagnosis::{Diagnosis, Verdict};
pub use groups::{stereotyping, subgroup_errors};
pub use homogeneity::{modal_answer, spread};
pub use matrices::{BalancedItem, acquiescence, desirability, longest_string, mixed_keys, straight_lining};
pub use order::{Chosen, Reversal, option_positions, question_positions, reversal};
pub use stability::{drift, instability};
pub use texts::{OpenTexts, duplicate_texts, same_words};
pub use validity::{Attempts, attention, empty_pipes, refusals, validity};

/// Thresholds of the diagnostics. In JSON, fields that are left out have their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// Maximum share of the most frequent answer.
    pub modal_share: f64,
    /// Minimum spread of twins over that of people.
    pub sd_ratio: f64,
    /// Maximum share of open texts that repeat another one.
    pub duplicate_texts: f64,
    /// Minimum share of different words among a hundred, in open texts.
    pub type_token: f64,
    /// Maximum share of twins with one column throughout a matrix, and its maximum excess over people's share.
    pub straight_lining: f64,
    pub straight_lining_above_people: f64,
    /// Maximum share of twins that agree with items and with their reverses, and its maximum excess over people's
    /// share.
    pub mixed_keys: f64,
    pub mixed_keys_above_people: f64,
    /// Maximum mean agreement over balanced items above the middle of 0..1.
    pub acquiescence: f64,
    /// Maximum mean agreement with a desirable item above the middle of 0..1.
    pub desirability: f64,
    /// False discovery rate of the tests of positions and orders.
    pub q: f64,
    /// Maximum Cramér's V of the chosen positions.
    pub position_v: f64,
    /// Minimum share of requests that are valid at the first try; `valid_gap` is the maximum gap between subgroups.
    pub valid: f64,
    pub valid_gap: f64,
    /// Maximum `η²` of an attribute among twins over that among people.
    pub stereotyping: f64,
    /// Minimum share of attention checks passed.
    pub attention: f64,
    /// Maximum number of twins that saw a text with an empty pipe.
    pub empty_pipes: f64,
    /// Minimum reliability of repeats.
    pub icc: f64,
    /// Minimum number of rows of a matrix that is measured.
    pub least_rows: usize,
    /// Minimum number of twins in a subgroup that is measured.
    pub least_group: usize,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            modal_share: 0.8,
            sd_ratio: 0.8,
            duplicate_texts: 0.15,
            type_token: 0.4,
            straight_lining: 0.15,
            straight_lining_above_people: 0.1,
            mixed_keys: 0.15,
            mixed_keys_above_people: 0.1,
            acquiescence: 0.1,
            desirability: 0.1,
            q: 0.05,
            position_v: 0.1,
            valid: 0.97,
            valid_gap: 0.05,
            stereotyping: 2.0,
            attention: 0.95,
            empty_pipes: 0.0,
            icc: 0.7,
            least_rows: 4,
            least_group: 30,
        }
    }
}

/// A known pitfall of model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Diagnostic {
    ModalAnswer,
    Spread,
    DuplicateTexts,
    SameWords,
    StraightLining,
    MixedKeys,
    Acquiescence,
    Desirability,
    OptionPosition,
    QuestionOrder,
    Validity,
    Refusals,
    EmptyPipes,
    Contamination,
    SubgroupError,
    Stereotyping,
    HyperRationality,
    Attention,
    Drift,
    Instability,
}

/// A measured value and whether it is beyond its threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RunFinding))]
pub struct Finding {
    #[serde(skip)]
    pub diagnostic: Diagnostic,
    /// The question's name, or attribute and value; empty for the whole run.
    #[cfg_attr(feature = "openapi", schema(example = "commute"))]
    pub of: String,
    #[cfg_attr(feature = "openapi", schema(example = 0.91))]
    pub value: f64,
    #[cfg_attr(feature = "openapi", schema(example = 0.8))]
    pub threshold: f64,
    /// Number of twins, or of requests, behind the value.
    #[cfg_attr(feature = "openapi", schema(example = 200))]
    pub n: usize,
    pub warns: bool,
    /// A further figure in words, which has no threshold.
    #[cfg_attr(feature = "openapi", schema(example = "41 % took the top answer"))]
    pub note: Option<String>,
}

impl Finding {
    fn above(diagnostic: Diagnostic, of: &str, value: f64, threshold: f64, n: usize) -> Self {
        Self { diagnostic, of: of.to_owned(), value, threshold, n, warns: value > threshold, note: None }
    }

    fn below(diagnostic: Diagnostic, of: &str, value: f64, threshold: f64, n: usize) -> Self {
        Self { warns: value < threshold, ..Self::above(diagnostic, of, value, threshold, n) }
    }

    fn noting(self, note: String) -> Self {
        Self { note: Some(note), ..self }
    }

    fn and(mut self, also: bool) -> Self {
        self.warns &= also;
        self
    }
}
