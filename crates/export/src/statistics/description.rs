//! What a file for a statistics program states of a table and of its missing answers.

use chrono::{DateTime, Utc};

use crate::table::Cell;

/// Why an answer is missing, where a file says so. SPSS has a number for each reason, Stata a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    Failed,
    /// The survey's design did not show the question.
    Skipped,
}

impl Absence {
    pub const ALL: [Self; 2] = [Self::Failed, Self::Skipped];

    pub fn of(cell: &Cell) -> Option<Self> {
        match cell {
            Cell::Failed => Some(Self::Failed),
            Cell::Skipped => Some(Self::Skipped),
            Cell::Missing | Cell::Text(_) | Cell::Number(_) | Cell::Code(_) => None,
        }
    }

    pub fn number(self) -> i32 {
        match self {
            Self::Failed => -88,
            Self::Skipped => -77,
        }
    }

    /// Returns the letter after the point.
    pub fn letter(self) -> u8 {
        match self {
            Self::Failed => b'f',
            Self::Skipped => b's',
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Failed => "Failed or refused",
            Self::Skipped => "Not shown",
        }
    }
}

/// Facts about a table that its file states.
pub struct TableDescription {
    pub title: String,
    /// The time that the file bears.
    pub time: DateTime<Utc>,
    /// Version of the program that asked.
    pub program_version: String,
    /// Labels and values of the notes.
    pub facts: Vec<(&'static str, String)>,
    /// Whether the survey has a design, by which questions may be skipped.
    pub has_design: bool,
}
