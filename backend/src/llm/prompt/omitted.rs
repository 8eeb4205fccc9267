//! Parameters that not every model takes.

use serde::{Deserialize, Serialize};
use simulation::json::is_default;
use simulation::model_options::ReasoningEffort;
use simulation::parameters::Parameters;

/// Tokens of a reply that are left to a model for its reasoning, above those of its answers.
const REASONING_TOKENS: u32 = 16_384;

/// A parameter that not every model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelParameter {
    Temperature,
    ReasoningEffort,
    Verbosity,
    ServiceTier,
    /// Probabilities of the reply's tokens.
    Logprobs,
    /// Several replies to one prompt.
    Draws,
}

impl ModelParameter {
    pub const ALL: [Self; 6] =
        [Self::Temperature, Self::ReasoningEffort, Self::Verbosity, Self::ServiceTier, Self::Logprobs, Self::Draws];

    /// Whether calls do without it and still get what the run asks for: several calls give several replies.
    pub fn is_dispensable(self) -> bool {
        self == Self::Draws
    }

    /// The name, as most providers and the list of what was not sent have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::ReasoningEffort => "reasoning_effort",
            Self::Verbosity => "verbosity",
            Self::ServiceTier => "service_tier",
            Self::Logprobs => "logprobs",
            Self::Draws => "n",
        }
    }
}

/// The parameters that a prompt is sent without, because the model refused them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OmittedParameters {
    temperature: bool,
    reasoning_effort: bool,
    verbosity: bool,
    service_tier: bool,
    #[serde(skip_serializing_if = "is_default")]
    logprobs: bool,
    #[serde(skip_serializing_if = "is_default")]
    draws: bool,
}

impl OmittedParameters {
    pub fn contains(self, parameter: ModelParameter) -> bool {
        match parameter {
            ModelParameter::Temperature => self.temperature,
            ModelParameter::ReasoningEffort => self.reasoning_effort,
            ModelParameter::Verbosity => self.verbosity,
            ModelParameter::ServiceTier => self.service_tier,
            ModelParameter::Logprobs => self.logprobs,
            ModelParameter::Draws => self.draws,
        }
    }

    pub fn with(self, parameter: ModelParameter) -> Self {
        match parameter {
            ModelParameter::Temperature => Self { temperature: true, ..self },
            ModelParameter::ReasoningEffort => Self { reasoning_effort: true, ..self },
            ModelParameter::Verbosity => Self { verbosity: true, ..self },
            ModelParameter::ServiceTier => Self { service_tier: true, ..self },
            ModelParameter::Logprobs => Self { logprobs: true, ..self },
            ModelParameter::Draws => Self { draws: true, ..self },
        }
    }

    /// The parameters that either leaves out.
    pub fn union(self, other: Self) -> Self {
        other.names().fold(self, |sum, parameter| sum.with(parameter))
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn names(self) -> impl Iterator<Item = ModelParameter> {
        ModelParameter::ALL.into_iter().filter(move |parameter| self.contains(*parameter))
    }
}

impl FromIterator<ModelParameter> for OmittedParameters {
    fn from_iter<T: IntoIterator<Item = ModelParameter>>(parameters: T) -> Self {
        parameters.into_iter().fold(Self::default(), Self::with)
    }
}

/// Room for the reasoning in the replies of a run with these parameters. `reasons`: the model has shown that it reasons.
pub fn reasoning_room(parameters: &Parameters, reasons: bool) -> u32 {
    let is_asked_to = parameters.reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None);
    if is_asked_to || reasons { REASONING_TOKENS } else { 0 }
}
