use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of columns of a file.
pub(super) const MAX_COLUMNS: usize = 32_767;

/// A file of answers with the descriptions of its columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub names: Vec<String>,
    /// The question's text for each column: the variable's label, or Qualtrics' second row. Empty if the file has none.
    pub labels: Vec<String>,
    /// Qualtrics' third row: `QID7`, `QID7_3`. Empty if the file has none.
    pub import_ids: Vec<String>,
    /// The rows, each as long as `names`. A value with a label is stored as the value.
    pub rows: Vec<Vec<Arc<str>>>,
    /// The labels of each column of an SPSS or Stata file. Empty for CSV.
    pub value_labels: Vec<ValueLabels>,
}

/// The labels of a column's values, by the value as its cells have it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueLabels {
    /// The labels, shared by the columns to which the file gives the same.
    pub labels: Arc<BTreeMap<String, String>>,
    pub missing: UserMissing,
}

/// Values that the file declares as missing: their cells are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserMissing {
    /// A range of numbers: the first and the last, both included.
    pub range: Option<(f64, f64)>,
    /// Single values, as cells would have them.
    pub values: Vec<String>,
}

impl UserMissing {
    pub fn holds(&self, cell: &str) -> bool {
        self.values.iter().any(|value| value == cell)
            || self
                .range
                .is_some_and(|(low, high)| cell.parse::<f64>().is_ok_and(|number| number >= low && number <= high))
    }
}

impl Table {
    /// Returns the label of a cell's value.
    pub fn label(&self, column: usize, cell: &str) -> Option<&str> {
        self.value_labels.get(column)?.labels.get(cell).map(String::as_str)
    }

    /// Returns a cell as people read it: the label of its value, or else the value.
    pub(super) fn shown<'a>(&'a self, row: &'a [Arc<str>], column: usize) -> &'a str {
        let cell = &*row[column];
        self.label(column, cell).unwrap_or(cell)
    }
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unreadable {
    #[error("the file is not text in UTF-8; save it as \"CSV UTF-8\"")]
    NotUtf8,
    #[error("the file is empty")]
    Empty,
    #[error("row {row}: {reason}")]
    Row { row: u64, reason: String },
    #[error("a compressed SPSS file (.zsav) is not read; save it as .sav")]
    Zsav,
    #[error(
        "a Stata file of format {release} is not read, only of 113 to 115 and 117 to 119; save it by Stata 8 or later"
    )]
    StataRelease { release: String },
    #[error("the file ends within {part}: it is cut off or damaged")]
    CutOff { part: &'static str },
    #[error("the file is damaged: {reason}")]
    Damaged { reason: String },
    #[error("the file has texts in the encoding {name}; save it in Unicode (UTF-8)")]
    Encoding { name: String },
    #[error("the file has more than {most} {what}; leave out columns that are no answers")]
    TooMany { most: usize, what: &'static str },
    #[error("the file has the same long texts in too many rows; leave out columns that are no answers")]
    LongTexts,
}

impl Unreadable {
    pub(super) fn damaged(reason: impl Into<String>) -> Self {
        Self::Damaged { reason: reason.into() }
    }
}
