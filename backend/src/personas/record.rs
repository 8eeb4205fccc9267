//! What the readers of all formats give: records of cells, and errors that name the place.

use std::fmt;

use crate::error::Error;

/// A longer cell comes from a damaged file, not from a person.
pub const MAX_CELL_BYTES: usize = 32 << 20;

/// Where a record stands in its file, 1-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordPlace {
    /// The line of a text file on which the record starts.
    Line(u64),
    /// The row of a parquet file or a sheet.
    Row(u64),
}

impl fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// One row: its cells in the order of the columns asked for, `None` where the file has no value.
#[derive(Debug)]
pub struct Record {
    pub place: RecordPlace,
    pub cells: Vec<Option<String>>,
}

/// Why a row is no twin, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowRejection {
    pub place: RecordPlace,
    /// As the file spells it. `None`: the reason is about the row as a whole.
    pub column: Option<String>,
    pub reason: String,
}

impl fmt::Display for RowRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{}, column {column}: {}", self.place, self.reason),
            None => write!(f, "{}: {}", self.place, self.reason),
        }
    }
}

/// What cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// One row; those after it may be fine.
    Row(RowRejection),
    /// The rest of the file.
    File(Error),
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}
