//! Questions of surveys.
//!
//! A [`Question`] is a row, what the API answers and what a run's snapshot keeps. Callers and survey files send a
//! [`QuestionPayload`]; [`document`] describes it.

pub mod document;
pub mod names;
pub(crate) mod payload;
mod validation;

use std::slice;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::answer::AnswerShape;
use crate::logic::QuestionLogic;
use crate::types::definition;

pub use payload::{AsPayload, QuestionPayload, clean};

/// Of a constant sum that names none.
const DEFAULT_TOTAL: f64 = 100.0;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Text))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum QuestionType {
    #[default]
    SingleChoice,
    MultipleChoice,
    Matrix,
    Slider,
    Range,
    Number,
    Boolean,
    TextEntry,
    #[serde(rename = "OPENENDED")]
    OpenEnded,
    /// A text without an answer: no request, no credit.
    Info,
    /// Numbers by option that add up to the question's total.
    ConstantSum,
    /// All options, the best first.
    Rank,
    /// The best and the worst of the options.
    BestWorst,
    /// Several labels for each row.
    MatrixMulti,
}

impl QuestionType {
    pub const ALL: [Self; 14] = [
        Self::SingleChoice,
        Self::MultipleChoice,
        Self::Matrix,
        Self::Slider,
        Self::Range,
        Self::Number,
        Self::Boolean,
        Self::TextEntry,
        Self::OpenEnded,
        Self::Info,
        Self::ConstantSum,
        Self::Rank,
        Self::BestWorst,
        Self::MatrixMulti,
    ];

    /// The name in the API, the database and the downloads.
    pub fn name(self) -> &'static str {
        definition(self).name()
    }

    /// The shape of its answers. `None`: it takes none.
    pub fn shape(self) -> Option<AnswerShape> {
        definition(self).shape()
    }

    /// Ignores case and separators: `Single choice` is `SINGLE_CHOICE`.
    pub fn parse(name: &str) -> Option<Self> {
        let letters = |name: &str| {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect::<String>()
        };
        let wanted = letters(name);
        Self::ALL.into_iter().find(|known| letters(known.name()) == wanted)
    }

    /// Whether it takes an answer, and so is a request and costs a credit.
    pub fn is_request(self) -> bool {
        self.shape().is_some()
    }

    /// Whether its answer is made of options.
    pub fn has_options(self) -> bool {
        use AnswerShape::{BestWorst, Choice, Choices, Parts, Ranking};
        matches!(self.shape(), Some(Choice | Choices | Parts | Ranking | BestWorst))
    }

    /// Whether rows are rated with labels.
    pub fn is_matrix(self) -> bool {
        matches!(self.shape(), Some(AnswerShape::Labels | AnswerShape::LabelSets))
    }

    pub fn is_number(self) -> bool {
        self.shape() == Some(AnswerShape::Number)
    }

    pub fn is_text(self) -> bool {
        self.shape() == Some(AnswerShape::Text)
    }
}

/// A question that passed every check. What its type does not use is empty or null. One that is not stored has no place
/// yet: its `id`, `survey_id` and `order` are 0.
///
/// With the feature `diesel` it is read from a row whose columns come in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[serde(rename_all = "camelCase")]
#[schema(description = "A question as it is shown. What its type does not use is empty or null.")]
pub struct Question {
    #[schema(example = 31)]
    pub id: i64,
    #[schema(example = 12)]
    pub survey_id: i64,
    /// 1-based place in the survey.
    #[schema(example = 1)]
    pub order: i32,
    #[schema(example = "How do you usually get to work?")]
    pub text: String,
    /// What files for statistics programs call it: once in its survey, whatever the case.
    #[schema(example = "commute")]
    pub name: String,
    pub question_type: QuestionType,
    #[schema(example = true)]
    pub required: bool,
    /// Of questions that are answered with options.
    #[serde(default, serialize_with = "write_options", deserialize_with = "read_options")]
    #[schema(required = true, value_type = Vec<QuestionOption>)]
    pub options: Vec<String>,
    /// Of matrix questions.
    #[serde(default, rename = "scale_labels")]
    #[schema(required = true, example = json!(["Disagree", "Neutral", "Agree"]))]
    pub scale_labels: Vec<String>,
    /// The rows of a matrix; none means that the question itself is the one row.
    #[serde(default)]
    #[schema(required = true, example = json!(["Tea", "Coffee"]))]
    pub sub_questions: Vec<String>,
    #[schema(example = 0.0)]
    pub min_value: Option<f64>,
    #[schema(example = 10.0)]
    pub max_value: Option<f64>,
    #[schema(example = "Never")]
    pub min_description: Option<String>,
    #[schema(example = "Always")]
    pub max_description: Option<String>,
    pub placeholder: Option<String>,
    // Not written where it is missing: surveys without it keep their bytes.
    /// What the numbers of a constant sum add up to; 100 where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 100.0)]
    pub total: Option<f64>,
    /// What its survey's design reads.
    #[serde(default, flatten, serialize_with = "QuestionLogic::write_fields")]
    pub logic: QuestionLogic,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct QuestionOption {
    #[schema(example = "By bicycle")]
    pub text: String,
}

fn write_options<S: Serializer>(options: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(options.iter().map(|text| QuestionOption { text: text.clone() }))
}

fn read_options<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let options: Vec<QuestionOption> = Vec::deserialize(deserializer)?;
    Ok(options.into_iter().map(|option| option.text).collect())
}

impl Question {
    /// The question under this id, at this 1-based place in its survey.
    pub fn at(self, id: i64, order: i32) -> Self {
        Self { id, order, ..self }
    }

    pub fn has_options(&self) -> bool {
        self.question_type.has_options()
    }

    pub fn is_request(&self) -> bool {
        self.question_type.is_request()
    }

    pub fn is_text(&self) -> bool {
        self.question_type.is_text()
    }

    /// The shape of its answers. `None`: it takes none.
    pub fn shape(&self) -> Option<AnswerShape> {
        self.question_type.shape()
    }

    /// What is chosen from: the options, or a matrix's labels.
    pub fn choices(&self) -> &[String] {
        if self.question_type.is_matrix() { &self.scale_labels } else { &self.options }
    }

    /// What files call the choice at this 0-based place: its code, or 1, 2, 3 and so on.
    pub fn code(&self, choice: usize) -> i64 {
        self.logic.code(choice)
    }

    /// What the numbers of a constant sum add up to.
    pub fn total(&self) -> f64 {
        self.total.unwrap_or(DEFAULT_TOTAL)
    }

    /// Whether the option cannot be chosen beside others.
    pub fn is_exclusive(&self, option: &str) -> bool {
        self.logic.exclusive.iter().flatten().any(|exclusive| exclusive == option)
    }

    /// Sets what is chosen from: the options, or a matrix's labels.
    pub fn set_choices(&mut self, choices: Vec<String>) {
        if self.question_type.is_matrix() {
            self.scale_labels = choices;
        } else {
            self.options = choices;
        }
    }

    /// The rows of a matrix.
    pub fn rows(&self) -> &[String] {
        if self.sub_questions.is_empty() { slice::from_ref(&self.text) } else { &self.sub_questions }
    }
}

/// Why a payload was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Invalid {
    /// As the caller spelled it, with the position in a list: `options[1]`.
    pub field: String,
    pub message: String,
}

impl Invalid {
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

#[cfg(test)]
mod tests;
