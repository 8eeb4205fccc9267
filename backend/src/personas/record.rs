//! The common output of all readers: records of cells, and errors that name the position.

use std::fmt;

use crate::error::Error;

/// Length limit of a cell in bytes. A longer one comes from a damaged file.
pub const MAX_CELL_BYTES: usize = 32 << 20;

/// Position of a record in its file, from 1.
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

/// A row: its cells in the order of the requested columns, `None` if the file has no value.
#[derive(Debug)]
pub struct Record {
    pub place: RecordPlace,
    pub cells: Vec<Option<String>>,
}

/// The reason why a row is no persona, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowRejection {
    pub place: RecordPlace,
    /// Column as the file spells it. `None`: the reason concerns the whole row.
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

/// An error of a reader.
#[derive(Debug)]
pub enum Unreadable {
    /// One row is unreadable; those after it may be fine.
    Row(RowRejection),
    /// The rest of the file is unreadable.
    File(Error),
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}
