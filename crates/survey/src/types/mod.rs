//! The types of questions: one file for each type, with everything that the type decides.
//!
//! A new type is one file with its [`TypeDefinition`], a variant of [`QuestionType`] and a line in [`definition`].
//! Other code reads the [parts](Answer::parts) of an answer or its [layout](AnswerShape::layout), not the type.

mod best_worst;
mod boolean;
mod choices;
mod constant_sum;
mod info;
mod invention;
mod matrix;
mod matrix_multi;
mod multiple_choice;
mod number;
mod open_ended;
mod outcomes;
mod range;
mod rank;
mod scale;
mod single_choice;
mod slider;
mod text;
mod text_entry;

use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::answer::{Answer, AnswerShape};
use crate::question::{Invalid, Question, QuestionPayload, QuestionType};
use crate::schema::Schema;

pub(crate) use choices::in_order;
pub use invention::Offer;
pub use outcomes::PossibleAnswers;
pub(crate) use scale::finite;
pub use text::is_too_long;

/// The rules of a type of question.
pub trait TypeDefinition: Sync {
    /// The name in the API, the database and the downloads.
    fn name(&self) -> &'static str;

    /// The shape of its answers, or `None` if it takes no answer.
    fn shape(&self) -> Option<AnswerShape>;

    /// Whether the ends of its scale have descriptions.
    fn has_descriptions(&self) -> bool {
        false
    }

    /// Checks a question whose fields have the right JSON types. Errors name the field as the payload spells it.
    fn validate(&self, _payload: &QuestionPayload, _question: &Question) -> Result<(), Invalid> {
        Ok(())
    }

    /// Writes the lines of a prompt that say how to answer.
    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result;

    /// Returns the JSON schema of the answer.
    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a>;

    /// Checks the answer of a model. The error is one line for the model, which is asked again.
    fn check(&self, asked: Asked<'_>, value: &Value) -> Result<Answer, String>;

    /// Draws an answer that passes the check. Returns `None` if there is nothing to choose from, or no answer is taken.
    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer>;

    /// The outcomes of which a twin can state probabilities, named as the twin is shown them.
    fn outcomes<'a>(&self, _asked: Asked<'a>) -> PossibleAnswers<'a> {
        PossibleAnswers::None
    }

    /// Number of tokens that an answer usually takes.
    fn expected_tokens(&self, question: &Question) -> u32;

    /// Describes the answer in words, for readers of a survey.
    fn answered_with(&self) -> &'static str;
}

/// Returns the definition of a type.
pub fn definition(of: QuestionType) -> &'static dyn TypeDefinition {
    match of {
        QuestionType::SingleChoice => &single_choice::SingleChoice,
        QuestionType::MultipleChoice => &multiple_choice::MultipleChoice,
        QuestionType::Matrix => &matrix::Matrix,
        QuestionType::Slider => &slider::Slider,
        QuestionType::Range => &range::Range,
        QuestionType::Number => &number::Number,
        QuestionType::Boolean => &boolean::Boolean,
        QuestionType::TextEntry => &text_entry::TextEntry,
        QuestionType::OpenEnded => &open_ended::OpenEnded,
        QuestionType::Info => &info::Info,
        QuestionType::ConstantSum => &constant_sum::ConstantSum,
        QuestionType::Rank => &rank::Rank,
        QuestionType::BestWorst => &best_worst::BestWorst,
        QuestionType::MatrixMulti => &matrix_multi::MatrixMulti,
    }
}

/// A question with its options in the order in which a twin is shown them.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub question: &'a Question,
    /// 1-based positions of the options, or `None` for the order as written.
    pub order: Option<&'a [i16]>,
    /// Length limit of an answer in free words, in characters, that the prompt states. `None`: it states none.
    pub max_text_length: Option<u32>,
}

impl<'a> Asked<'a> {
    /// The options in the order shown.
    pub fn options(self) -> Vec<&'a str> {
        in_order(&self.question.options, self.order)
    }

    /// Name of the question's field in a reply, e.g. `q3`.
    pub fn label(self) -> String {
        format!("q{}", self.question.order)
    }

    /// Name of a part of the answer in a reply, e.g. `q3_1`, which is unique in the call. `number` is the 1-based
    /// number of a row, or of an option in the order shown.
    pub fn part_label(self, number: usize) -> String {
        format!("q{}_{number}", self.question.order)
    }

    /// Writes each part below the name of its field in the reply.
    pub(crate) fn write_parts<Part: fmt::Display>(
        self,
        parts: impl IntoIterator<Item = Part>,
        message: &mut String,
    ) -> fmt::Result {
        (1..).zip(parts).try_for_each(|(number, part)| writeln!(message, "{}: {part}", self.part_label(number)))
    }

    /// Finds a part of an answer that is an object, by its label or its text.
    pub(crate) fn part<'v>(self, number: usize, text: &str, value: &'v Value) -> Option<&'v Value> {
        value.get(self.part_label(number)).or_else(|| value.get(text))
    }
}

/// Estimates the tokens of a text of this size, at four bytes a token.
pub fn tokens_of(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}

/// Estimates the tokens of the longest text.
fn tokens_of_longest(texts: &[String]) -> u32 {
    tokens_of(texts.iter().map(String::len).max().unwrap_or(0))
}

/// Estimates the tokens of a list of all texts.
fn tokens_of_list(texts: &[String]) -> u32 {
    texts.iter().map(|text| 2 + tokens_of(text.len())).sum()
}

/// Converts a length to `u32`, saturating.
fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

/// Returns the beginning of a value, for a rejection.
fn excerpt(value: &Value) -> String {
    const LENGTH: usize = 80;
    let json = value.to_string();
    match json.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}...", json.get(..end).unwrap_or_default()),
        None => json,
    }
}

#[cfg(test)]
mod tests;
