//! Kinds of answers that a run asks its twins for.

use serde::{Deserialize, Serialize};
use survey::distribution::AnswerForm;
use utoipa::ToSchema;

/// Kind of answer that the model is asked for: one answer, or probabilities from which the answer is drawn by the run's seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum AnswerMode {
    /// One answer, which the model chooses.
    #[default]
    Draw,
    /// The probability of each option in percent, and five quantiles of numbers, as the twin states them. Questions without
    /// a distribution are asked for their answer.
    Stated,
    /// The letter of an option: the model server gives the probability of each letter. Questions without options are asked for
    /// their answer.
    Tokens,
}

impl AnswerMode {
    /// The form in which its questions are asked, as far as they can be.
    pub fn form(self) -> AnswerForm {
        match self {
            Self::Draw => AnswerForm::Answer,
            Self::Stated => AnswerForm::Stated,
            Self::Tokens => AnswerForm::Codes,
        }
    }

    /// The mode as the API names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Stated => "stated",
            Self::Tokens => "tokens",
        }
    }

    /// The mode for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Draw => "one answer",
            Self::Stated => "probabilities that the twin states",
            Self::Tokens => "probabilities of the options' letters, by the model server",
        }
    }
}
