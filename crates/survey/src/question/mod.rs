//! Questions of surveys.
//!
//! A [`Question`] is the database row, the API's object and the entry of a run's snapshot. Callers and survey files
//! send a [`QuestionPayload`], whose schema is in [`document`].

pub mod document;
pub mod names;
pub(crate) mod payload;
mod validation;

use std::slice;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::answer::{AnswerShape, ENDS, Parts, ValueKind};
use crate::logic::{QuestionLogic, Scale};
use crate::types::definition;

pub use payload::{AsPayload, QuestionPayload, clean};

/// Default total of a constant sum.
const DEFAULT_TOTAL: f64 = 100.0;
/// Numbers of options that a choice between degrees has.
const DEGREES: std::ops::RangeInclusive<usize> = 3..=11;
/// Words with which both ends of a scale begin.
const STRONG_WORDS: [&str; 12] = [
    "strongly",
    "completely",
    "totally",
    "fully",
    "very",
    "extremely",
    "highly",
    "definitely",
    "absolutely",
    "entirely",
    "much",
    "far",
];

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
    /// A text without an answer. It is no request and costs no credit.
    Info,
    /// A number for each option; the numbers add up to the question's total.
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

    /// The shape of its answers, or `None` if it takes no answer.
    pub fn shape(self) -> Option<AnswerShape> {
        definition(self).shape()
    }

    /// Parses a name regardless of case and separators: `Single choice` is `SINGLE_CHOICE`.
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

    /// Returns the parts that its answers have a value for, and the kind of each value. `None` if it takes no answer.
    pub fn layout(self) -> Option<(Parts, ValueKind)> {
        self.shape().map(AnswerShape::layout)
    }

    /// Whether its answers consist of options.
    pub fn has_options(self) -> bool {
        let of_options = |(parts, kind)| match parts {
            Parts::Whole => matches!(kind, ValueKind::Choice | ValueKind::Choices),
            Parts::Options | Parts::Ends => true,
            Parts::Rows => false,
        };
        self.layout().is_some_and(of_options)
    }

    /// Whether rows are rated with labels.
    pub fn is_matrix(self) -> bool {
        self.layout().is_some_and(|(parts, _)| parts == Parts::Rows)
    }

    pub fn is_number(self) -> bool {
        self.shape() == Some(AnswerShape::Number)
    }

    pub fn is_text(self) -> bool {
        self.shape() == Some(AnswerShape::Text)
    }
}

/// A question that passed every check. Fields that its type does not use are empty or null. A question that is not
/// stored has an `id`, `survey_id` and `order` of 0.
///
/// With the feature `diesel` it is read from a row whose columns have the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[serde(rename_all = "camelCase")]
#[schema(description = "A question as it is shown. What its type does not use is empty or null.")]
pub struct Question {
    #[schema(example = 31)]
    pub id: i64,
    #[schema(example = 12)]
    pub survey_id: i64,
    /// Position in the survey, 1-based.
    #[schema(example = 1)]
    pub order: i32,
    #[schema(example = "How do you usually get to work?")]
    pub text: String,
    /// Name of the variable in files for statistics programs, unique in the survey regardless of case.
    #[schema(example = "commute")]
    pub name: String,
    pub question_type: QuestionType,
    #[schema(example = true)]
    pub required: bool,
    /// Options of a choice.
    #[serde(default, serialize_with = "write_options", deserialize_with = "read_options")]
    #[schema(required = true, value_type = Vec<QuestionOption>)]
    pub options: Vec<String>,
    /// Labels of a matrix.
    #[serde(default, rename = "scale_labels")]
    #[schema(required = true, example = json!(["Disagree", "Neutral", "Agree"]))]
    pub scale_labels: Vec<String>,
    /// Rows of a matrix. If there are none, the question itself is the only row.
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
    // Surveys without a total are serialized without the field, so that their hashes stay the same.
    /// Sum of the numbers of a constant sum; 100 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 100.0)]
    pub total: Option<f64>,
    /// The question's logic, which the survey's design reads.
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
    /// Returns the question with this id and 1-based position.
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

    /// The shape of its answers, or `None` if it takes no answer.
    pub fn shape(&self) -> Option<AnswerShape> {
        self.question_type.shape()
    }

    /// Returns the parts that its answers have a value for, and the kind of each value. `None` if it takes no answer.
    pub fn layout(&self) -> Option<(Parts, ValueKind)> {
        self.question_type.layout()
    }

    /// Whether it is a matrix without rows, which is its own only row.
    pub fn is_its_own_row(&self) -> bool {
        self.question_type.is_matrix() && self.sub_questions.is_empty()
    }

    /// The names of the parts of an answer: rows, options, or `best` and `worst`. Empty if an answer is one value.
    pub fn part_names(&self) -> Vec<&str> {
        let texts = match self.layout() {
            None | Some((Parts::Whole, _)) => &[],
            Some((Parts::Rows, _)) => self.rows(),
            Some((Parts::Options, _)) => &self.options,
            Some((Parts::Ends, _)) => return ENDS.to_vec(),
        };
        texts.iter().map(String::as_str).collect()
    }

    /// The options of a choice, or the labels of a matrix.
    pub fn choices(&self) -> &[String] {
        if self.question_type.is_matrix() { &self.scale_labels } else { &self.options }
    }

    /// The code of a choice at a 0-based position; 1, 2, 3 and so on if there are no codes.
    pub fn code(&self, choice: usize) -> i64 {
        self.logic.code(choice)
    }

    /// Whether the options of a choice, or the labels of a matrix, are degrees of one scale, so that answers have a mean: 1
    /// for the first. The stated scale decides. Without one the labels of a matrix are degrees, and of a choice the words
    /// decide: both ends are equally strong, as `Very unlikely` to `Very likely`, or some options agree and others disagree.
    pub fn has_degrees(&self) -> bool {
        let first = |option: Option<&String>| {
            option.and_then(|option| option.split_whitespace().next()).map(str::to_lowercase).unwrap_or_default()
        };
        let is_matrix = self.shape() == Some(AnswerShape::Labels);
        let is_choice = self.shape() == Some(AnswerShape::Choice) && DEGREES.contains(&self.options.len());
        if !is_matrix && !is_choice {
            return false;
        }
        if let Some(scale) = self.logic.scale {
            return scale != Scale::Nominal;
        }
        if is_matrix {
            return true;
        }
        let low = first(self.options.first());
        let is_strong = low == first(self.options.last()) && STRONG_WORDS.contains(&low.as_str());
        is_strong
            || (self.options.iter().any(|option| agrees(option)) && self.options.iter().any(|option| disagrees(option)))
    }

    /// The options or labels that agree with a statement, by their words: `Agree`, `Strongly agree`.
    pub fn agreeing(&self) -> Vec<String> {
        self.choices().iter().filter(|choice| agrees(choice)).cloned().collect()
    }

    /// The sum of the numbers of a constant sum.
    pub fn total(&self) -> f64 {
        self.total.unwrap_or(DEFAULT_TOTAL)
    }

    /// Whether the option excludes all others.
    pub fn is_exclusive(&self, option: &str) -> bool {
        self.logic.exclusive.iter().flatten().any(|exclusive| exclusive == option)
    }

    /// Replaces the options of a choice, or the labels of a matrix.
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

/// Whether an option says that somebody agrees.
fn agrees(option: &str) -> bool {
    let words = option.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    let words: Vec<String> = words.collect();
    words.iter().any(|word| word == "agree") && !disagrees(option) && !words.iter().any(|word| word == "not")
}

fn disagrees(option: &str) -> bool {
    option.to_lowercase().contains("disagree")
}

/// Why a payload was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Invalid {
    /// The field as the caller spelled it, with the position in a list: `options[1]`.
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
