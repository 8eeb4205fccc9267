//! A persona file as a table: a header, then records of the columns asked for.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::csv::CsvTable;
use super::jsonl::JsonTable;
use super::parquet::ParquetTable;
use crate::error::{Error, Result};

/// No cell of a persona is longer than this, in bytes: what is longer is a damaged file, not a person.
pub const LONGEST_CELL: usize = 32 << 20;

/// Enough of a file to tell what it is.
const SNIFFED: u64 = 8192;

/// Where a record stands in its file, 1-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The line of a text file on which the record starts.
    Line(u64),
    /// The row of a parquet file.
    Row(u64),
}

impl fmt::Display for Place {
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
    pub place: Place,
    pub cells: Vec<Option<String>>,
}

/// Why a row is no twin, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub place: Place,
    /// As the file spells it; `None`: it is about the row as a whole.
    pub column: Option<String>,
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{}, column {column}: {}", self.place, self.reason),
            None => write!(f, "{}: {}", self.place, self.reason),
        }
    }
}

/// What went wrong while reading.
#[derive(Debug)]
pub enum Unreadable {
    /// One row; those after it may be fine.
    Row(Rejection),
    /// The file: nothing more can be read of it.
    File(Error),
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

/// The records of a file, in its order. After [`Unreadable::File`] there are no more.
pub type Records = Box<dyn Iterator<Item = Result<Record, Unreadable>>>;

pub enum Table {
    Csv(CsvTable),
    Json(JsonTable),
    Parquet(ParquetTable),
}

impl Table {
    /// Opens the file and reads its header. The first bytes say what it is; its name does not matter.
    /// `name` is what messages call it.
    pub fn open(name: String, path: &Path) -> Result<Self> {
        let refuse = |what: &str| Err(Error::bad_input(format!("{name}: {what}")));
        let opened = File::open(path).and_then(|file| {
            let mut start = Vec::new();
            (&file).take(SNIFFED).read_to_end(&mut start)?;
            Ok((file, start))
        });
        let (file, start) = match opened {
            Ok(opened) => opened,
            Err(error) => return refuse(&format!("cannot be read: {error}")),
        };
        if start.starts_with(b"PAR1") {
            return Ok(Self::Parquet(ParquetTable::open(name, file)?));
        }
        if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
            return refuse("the text is UTF-16; save it as UTF-8");
        }
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        let first_line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        // A NUL further down may be one bad cell of a table, which is told by its line.
        if first_line.contains(&0) || (text.contains(&0) && std::str::from_utf8(first_line).is_err()) {
            return refuse("not a table: binary data, neither CSV, JSON Lines nor parquet");
        }
        match text.trim_ascii_start().first() {
            None if start.len() as u64 == SNIFFED => refuse("not a table: it starts with blanks only"),
            None => refuse("the file is empty"),
            Some(b'{') => Ok(Self::Json(JsonTable::open(name, path)?)),
            Some(b'[') => refuse("a JSON array; write one JSON object a line (JSON Lines)"),
            Some(b'<') => refuse("not a table: it looks like HTML or XML"),
            Some(_) => Ok(Self::Csv(CsvTable::open(name, path)?)),
        }
    }

    /// The names of the columns, as the file spells them.
    pub fn header(&self) -> &[String] {
        match self {
            Self::Csv(table) => table.header(),
            Self::Json(table) => table.header(),
            Self::Parquet(table) => table.header(),
        }
    }

    /// The rows, with the cells of `columns` (positions in the header) only: the rest is not decoded.
    pub fn records(self, columns: Vec<usize>) -> Records {
        match self {
            Self::Csv(table) => Box::new(table.records(columns)),
            Self::Json(table) => Box::new(table.records(columns).map(|record| record.map_err(Unreadable::File))),
            Self::Parquet(table) => Box::new(table.records(columns).map(|record| record.map_err(Unreadable::File))),
        }
    }
}
