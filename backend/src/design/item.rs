//! A question with its logic: what a design places, deals and asks.

use serde::{Deserialize, Serialize};

use super::logic::QuestionLogic;
use crate::models::questions::{Question, QuestionType};

/// The types of questions that designs know. Those beyond [`QuestionType`] take their texts from the same fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
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
    /// Numbers by option. The answer is an object by option.
    ConstantSum,
    /// The answer lists all options, the best first.
    Rank,
    /// The answer is `{"best": .., "worst": ..}`.
    BestWorst,
    /// Several labels a row. The answer is an object of lists by row.
    MatrixMulti,
}

impl From<QuestionType> for Kind {
    fn from(kind: QuestionType) -> Self {
        match kind {
            QuestionType::SingleChoice => Self::SingleChoice,
            QuestionType::MultipleChoice => Self::MultipleChoice,
            QuestionType::Matrix => Self::Matrix,
            QuestionType::Slider => Self::Slider,
            QuestionType::Range => Self::Range,
            QuestionType::Number => Self::Number,
            QuestionType::Boolean => Self::Boolean,
            QuestionType::TextEntry => Self::TextEntry,
            QuestionType::OpenEnded => Self::OpenEnded,
        }
    }
}

impl Kind {
    const ALL: [Self; 14] = [
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

    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::ConstantSum => "CONSTANT_SUM",
            Self::Rank => "RANK",
            Self::BestWorst => "BEST_WORST",
            Self::MatrixMulti => "MATRIX_MULTI",
            plain => plain.checked_as().name(),
        }
    }

    /// Ignores case and separators.
    pub fn parse(name: &str) -> Option<Self> {
        let letters = |name: &str| {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect::<String>()
        };
        let wanted = letters(name);
        Self::ALL.into_iter().find(|known| letters(known.name()) == wanted)
    }

    /// The type whose rules hold for its texts and options.
    pub fn checked_as(self) -> QuestionType {
        match self {
            Self::SingleChoice => QuestionType::SingleChoice,
            Self::MultipleChoice | Self::ConstantSum | Self::Rank | Self::BestWorst => QuestionType::MultipleChoice,
            Self::Matrix | Self::MatrixMulti => QuestionType::Matrix,
            Self::Slider => QuestionType::Slider,
            Self::Range => QuestionType::Range,
            Self::Number => QuestionType::Number,
            Self::Boolean => QuestionType::Boolean,
            Self::TextEntry => QuestionType::TextEntry,
            Self::OpenEnded | Self::Info => QuestionType::OpenEnded,
        }
    }

    pub fn is_matrix(self) -> bool {
        matches!(self, Self::Matrix | Self::MatrixMulti)
    }

    pub fn is_text(self) -> bool {
        matches!(self, Self::TextEntry | Self::OpenEnded)
    }

    pub fn has_options(self) -> bool {
        matches!(self, Self::SingleChoice | Self::MultipleChoice | Self::ConstantSum | Self::Rank | Self::BestWorst)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    pub question: Question,
    /// Of the question. Its own type is not read.
    pub kind: Kind,
    pub logic: QuestionLogic,
}

impl From<Question> for Item {
    fn from(question: Question) -> Self {
        Self { kind: question.question_type.into(), question, logic: QuestionLogic::default() }
    }
}

impl Item {
    pub fn name(&self) -> &str {
        &self.question.name
    }

    /// Whether it takes an answer, and so is a request and costs a credit.
    pub fn is_request(&self) -> bool {
        self.kind != Kind::Info
    }

    /// What is chosen from: the options, or a matrix's labels.
    pub fn choices(&self) -> &[String] {
        if self.kind.is_matrix() { &self.question.scale_labels } else { &self.question.options }
    }

    /// The code of the choice at this position from 0.
    pub fn code(&self, choice: usize) -> i64 {
        let given = self.logic.codes.as_ref().and_then(|codes| codes.get(choice)).copied();
        given.unwrap_or_else(|| i64::try_from(choice + 1).unwrap_or(i64::MAX))
    }

    /// How many parts of its answer a condition or a pipe can name by number; 0: the answer is one whole.
    pub fn rows(&self) -> usize {
        match self.kind {
            Kind::Matrix | Kind::MatrixMulti => self.question.rows().len(),
            Kind::ConstantSum | Kind::Rank => self.question.options.len(),
            Kind::BestWorst => 2,
            _ => 0,
        }
    }
}
