//! Columns and cells of a table.

use serde::{Deserialize, Serialize};

/// The label of the notice, which is the last column of a file.
pub const NOTICE_LABEL: &str = "What nobody may read the answers without knowing";

/// Values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Text,
    Number,
    /// One of these codes, with its label.
    Coded(Vec<(i32, String)>),
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    /// Text of the question with the row or the option; the attribute's own name.
    pub label: String,
    /// A question's type, or one of [`Self::ATTRIBUTE`], [`Self::DESIGN`], [`Self::ID`] and [`Self::PROBABILITY`].
    pub kind: &'static str,
    pub values: Values,
    /// Whether the codes only say that something was chosen: 0 and 1 stay numbers in every form.
    pub is_indicator: bool,
}

/// A person's value in a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// Not asked yet, in another arm, or an attribute that the person has not.
    Missing,
    /// The survey's design did not show the question.
    Skipped,
    /// The answer failed or was refused.
    Failed,
    Text(String),
    Number(f64),
    Code(i32),
}

/// Form of coded answers in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Words of the survey.
    #[default]
    Labels,
    /// Options and labels of a scale 1, 2, … in the order of the survey; yes 1, no 0.
    Codes,
    /// A column of codes, and one of labels after it under its name with `_label`.
    Both,
}

impl Column {
    pub const ATTRIBUTE: &str = "ATTRIBUTE";
    pub const DESIGN: &str = "DESIGN";
    pub const ID: &str = "ID";
    pub const PROBABILITY: &str = "PROBABILITY";

    /// Whether the column holds answers to a question.
    pub fn is_answer(&self) -> bool {
        ![Self::ATTRIBUTE, Self::DESIGN, Self::ID, Self::PROBABILITY].contains(&self.kind)
    }

    /// Whether a value is one of several labels.
    pub fn is_worded(&self) -> bool {
        matches!(self.values, Values::Coded(_)) && !self.is_indicator
    }

    /// Returns the place of a code among those of the column, from 0.
    pub fn place_of(&self, code: i32) -> Option<usize> {
        let Values::Coded(codes) = &self.values else { return None };
        codes.iter().position(|(known, _)| *known == code)
    }

    pub fn label_of(&self, code: i32) -> Option<&str> {
        let Values::Coded(codes) = &self.values else { return None };
        codes.iter().find(|(known, _)| *known == code).map(|(_, label)| label.as_str())
    }
}
