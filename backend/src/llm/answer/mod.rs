//! Reads a model's reply and checks every answer.

mod probabilities;
mod reading;

use std::fmt;

use survey::answer::Answer;
use survey::distribution::Distribution;

pub use reading::{read, read_with_tokens};

/// A checked answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedAnswer {
    /// Text for display: see [`Answer::text`].
    pub text: String,
    pub answer: Answer,
    /// The distribution that the answer was drawn from, in a run that asks for one.
    pub distribution: Option<Distribution>,
}

/// Why a reply has no valid answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerError {
    /// Stable word for counts and tables.
    pub code: AnswerErrorCode,
    /// One line for the model, which is asked again with it, and for the list of failures.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerErrorCode {
    /// The reply is no JSON object.
    NotJson,
    /// The reply has no field for the question.
    Missing,
    /// The field holds what the question does not allow.
    Invalid,
    /// The text is longer than the prompt allows.
    TooLong,
}

impl AnswerErrorCode {
    pub fn name(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::Missing => "missing_answer",
            Self::Invalid => "invalid_answer",
            Self::TooLong => "too_long",
        }
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests;
