//! The values of an answer, one by one, so that readers need not know its shape.

use super::yes_or_no;
use crate::number;

/// The parts that an answer has a value for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parts {
    /// The question as a whole.
    Whole,
    /// Each row of a matrix.
    Rows,
    /// Each option.
    Options,
    /// The best and the worst end.
    Ends,
}

/// The kind of an answer's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// An option, or a label of a matrix.
    Choice,
    /// Several of them.
    Choices,
    Number,
    /// The place of an option among all, 1 for the best.
    Rank,
    YesNo,
    /// Free text.
    Text,
}

/// A value of an answer. Options and labels have the texts that the twin saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnswerValue<'a> {
    Choice(&'a str),
    Choices(&'a [String]),
    Number(f64),
    Rank(u32),
    YesNo(bool),
    Text(&'a str),
}

impl AnswerValue<'_> {
    /// Returns the options, labels or numbers that are counted. Free text is not counted.
    pub fn labels(self) -> Vec<String> {
        match self {
            Self::Choices(texts) => texts.to_vec(),
            Self::Text(_) => Vec::new(),
            Self::Choice(_) | Self::Number(_) | Self::Rank(_) | Self::YesNo(_) => vec![self.text()],
        }
    }

    /// Returns the value as text, with several options separated by commas.
    pub fn text(self) -> String {
        match self {
            Self::Choice(text) | Self::Text(text) => text.to_owned(),
            Self::Choices(texts) => texts.join(", "),
            Self::Number(number) => number::text(number),
            Self::Rank(rank) => rank.to_string(),
            Self::YesNo(yes) => yes_or_no(yes).to_owned(),
        }
    }
}
