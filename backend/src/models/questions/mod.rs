//! Questions as researchers write them.

pub mod amendment;
pub mod changes;
mod payload;
mod stored;
mod validation;

use std::slice;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use payload::QuestionPayload;
pub(crate) use payload::clean;
pub use stored::{insert, of_survey};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum QuestionType {
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
}

impl QuestionType {
    pub const ALL: [Self; 9] = [
        Self::SingleChoice,
        Self::MultipleChoice,
        Self::Matrix,
        Self::Slider,
        Self::Range,
        Self::Number,
        Self::Boolean,
        Self::TextEntry,
        Self::OpenEnded,
    ];

    /// As the API, the database and the downloads spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleChoice => "SINGLE_CHOICE",
            Self::MultipleChoice => "MULTIPLE_CHOICE",
            Self::Matrix => "MATRIX",
            Self::Slider => "SLIDER",
            Self::Range => "RANGE",
            Self::Number => "NUMBER",
            Self::Boolean => "BOOLEAN",
            Self::TextEntry => "TEXT_ENTRY",
            Self::OpenEnded => "OPENENDED",
        }
    }

    /// In any case, with any or no separators: `Single choice` is `SINGLE_CHOICE`.
    pub fn parse(name: &str) -> Option<Self> {
        let letters = |name: &str| {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect::<String>()
        };
        let wanted = letters(name);
        Self::ALL.into_iter().find(|known| letters(known.name()) == wanted)
    }

    pub fn is_choice(self) -> bool {
        matches!(self, Self::SingleChoice | Self::MultipleChoice)
    }

    pub fn is_text(self) -> bool {
        matches!(self, Self::TextEntry | Self::OpenEnded)
    }
}

/// A question that passed every check: what runs freeze in their snapshot and prompts are built from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    pub id: i64,
    /// 1-based position in the survey.
    pub order: i32,
    pub text: String,
    pub question_type: QuestionType,
    pub required: bool,
    /// Choice types only: at least two.
    #[serde(default)]
    pub options: Vec<String>,
    /// `MATRIX` only: at least two.
    #[serde(default, rename = "scale_labels")]
    pub scale_labels: Vec<String>,
    /// `MATRIX` only: its rows; none means that the question itself is the one row.
    #[serde(default)]
    pub sub_questions: Vec<String>,
    pub min_value: Option<f64>,
    pub max_value: Option<f64>,
    pub min_description: Option<String>,
    pub max_description: Option<String>,
    pub placeholder: Option<String>,
}

impl Question {
    pub fn is_choice(&self) -> bool {
        self.question_type.is_choice()
    }

    pub fn is_text(&self) -> bool {
        self.question_type.is_text()
    }

    /// The rows of a matrix.
    pub fn rows(&self) -> &[String] {
        if self.sub_questions.is_empty() { slice::from_ref(&self.text) } else { &self.sub_questions }
    }
}

/// A question without a place in a survey, as it is sent and as it stands in a survey's file. What its type does not use
/// is empty. Every spelling of a field that the product knows is understood, e.g. `questionType` for `type`; options may
/// also be objects with a `text` or `title`.
// One that was sent is a `QuestionPayload` until it has passed every check.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = QuestionToSend)]
pub struct NewQuestion {
    /// Not blank.
    #[schema(example = "How do you usually get to work?", min_length = 1, max_length = 10_000, pattern = r"\S")]
    pub text: String,
    #[serde(rename = "type")]
    pub question_type: QuestionType,
    #[schema(example = true, default = true, required = false, value_type = Option<bool>)]
    pub required: bool,
    /// Choice questions: at least two, none blank, none twice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["By bicycle", "On foot"]), required = false, max_items = 200, value_type = Option<Vec<String>>)]
    pub options: Vec<String>,
    /// Matrix questions: at least two, none blank, none twice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 200, value_type = Option<Vec<String>>)]
    pub scale_labels: Vec<String>,
    /// Matrix questions: the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 200, value_type = Option<Vec<String>>)]
    pub sub_questions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = payload::number_schema)]
    pub min_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = payload::number_schema)]
    pub max_value: Option<f64>,
    /// Ranges need both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
}

impl NewQuestion {
    /// The question with its id and its 1-based position in a survey.
    pub fn at(self, id: i64, order: i32) -> Question {
        Question {
            id,
            order,
            text: self.text,
            question_type: self.question_type,
            required: self.required,
            options: self.options,
            scale_labels: self.scale_labels,
            sub_questions: self.sub_questions,
            min_value: self.min_value,
            max_value: self.max_value,
            min_description: self.min_description,
            max_description: self.max_description,
            placeholder: self.placeholder,
        }
    }
}

/// The same without id and place, for a copy.
impl From<Question> for NewQuestion {
    fn from(question: Question) -> Self {
        Self {
            text: question.text,
            question_type: question.question_type,
            required: question.required,
            options: question.options,
            scale_labels: question.scale_labels,
            sub_questions: question.sub_questions,
            min_value: question.min_value,
            max_value: question.max_value,
            min_description: question.min_description,
            max_description: question.max_description,
            placeholder: question.placeholder,
        }
    }
}

/// Why a payload is no question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Invalid {
    /// As the caller spelled it, with the place in a list: `options[1]`.
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
