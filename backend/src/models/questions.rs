//! Questions as researchers write them.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// As the database and the API spell it.
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
