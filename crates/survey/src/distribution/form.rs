//! The form in which a question is asked.

use std::fmt;

use serde_json::Value;

use super::value::Distribution;
use super::{codes, stated};
use crate::answer::Answer;
use crate::question::Question;
use crate::schema::Schema;
use crate::types::{Asked, PossibleAnswers, definition};

/// Form of the answer that a question asks the model for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AnswerForm {
    /// The answer.
    #[default]
    Answer,
    /// The probabilities of its outcomes.
    Stated,
    /// The letter of an option.
    Codes,
}

/// A model's answer to a question, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub enum FormReply {
    Answer(Answer),
    Distribution(Distribution),
}

/// Whether answers to the question have a distribution.
pub fn has_distribution(question: &Question) -> bool {
    outcomes(Asked { question, order: None, max_text_length: None }) != PossibleAnswers::None
}

fn outcomes(asked: Asked<'_>) -> PossibleAnswers<'_> {
    definition(asked.question.question_type).outcomes(asked)
}

impl AnswerForm {
    /// The form in which this question can be asked: that of its answer if it has no such distribution.
    pub fn of(self, question: &Question) -> Self {
        let outcomes = outcomes(Asked { question, order: None, max_text_length: None });
        let is_possible = match self {
            Self::Answer => true,
            Self::Stated => outcomes != PossibleAnswers::None,
            Self::Codes => !codes::code_parts(&outcomes).is_empty(),
        };
        if is_possible { self } else { Self::Answer }
    }

    /// Writes the lines of a prompt that say how to answer.
    pub fn write_instructions(self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        match self {
            Self::Answer => definition(asked.question.question_type).write_instructions(asked, message),
            Self::Stated => stated::write_instructions(asked, &outcomes(asked), message),
            Self::Codes => codes::write_instructions(&outcomes(asked), message),
        }
    }

    /// Returns the JSON schema of what is asked for.
    pub fn schema(self, asked: Asked<'_>) -> Schema<'_> {
        match self {
            Self::Answer => definition(asked.question.question_type).schema(asked),
            Self::Stated => stated::schema(asked, &outcomes(asked)),
            Self::Codes => codes::schema(&outcomes(asked)),
        }
    }

    /// Checks what a model gave. The error is one line for the model, which is asked again.
    pub fn check(self, asked: Asked<'_>, value: &Value) -> Result<FormReply, String> {
        match self {
            Self::Answer => definition(asked.question.question_type).check(asked, value).map(FormReply::Answer),
            Self::Stated => stated::check(asked, &outcomes(asked), value).map(FormReply::Distribution),
            Self::Codes => codes::check(asked, &outcomes(asked), value).map(FormReply::Answer),
        }
    }

    /// The parts of an answer by codes; none in another form.
    pub fn code_parts(self, asked: Asked<'_>) -> Vec<codes::CodePart<'_>> {
        if self == Self::Codes { codes::code_parts(&outcomes(asked)) } else { Vec::new() }
    }

    /// Number of tokens that the reply to the question usually takes.
    pub fn expected_tokens(self, asked: Asked<'_>) -> u32 {
        match self {
            Self::Answer => definition(asked.question.question_type).expected_tokens(asked.question),
            Self::Stated => stated::expected_tokens(&outcomes(asked)),
            Self::Codes => codes::expected_tokens(&outcomes(asked)),
        }
    }
}
