//! A persona file as a table: a header, then records of the columns asked for.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::csv::CsvTable;
use super::jsonl::JsonTable;
use super::parquet::ParquetTable;
use super::record::{Record, Unreadable};
use crate::error::{Error, Result};

/// The part of a file that decides its format, in bytes.
const SNIFFED_BYTES: u64 = 8192;

/// The records of a file, in its order. After [`Unreadable::File`] there are no more.
pub type Records = Box<dyn Iterator<Item = Result<Record, Unreadable>>>;

pub enum Table {
    Csv(CsvTable),
    Json(JsonTable),
    Parquet(ParquetTable),
}

impl Table {
    /// Opens the file and reads its header. Its first bytes decide the format. `name` is the file's name in messages.
    pub fn open(name: String, path: &Path) -> Result<Self> {
        let refuse = |what: &str| Err(Error::bad_input(format!("{name}: {what}")));
        let opened = File::open(path).and_then(|file| {
            let mut start = Vec::new();
            (&file).take(SNIFFED_BYTES).read_to_end(&mut start)?;
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
        // A NUL further down may be one bad cell of a table: its own error names the line.
        if first_line.contains(&0) || (text.contains(&0) && std::str::from_utf8(first_line).is_err()) {
            return refuse("not a table: binary data, neither CSV, JSON Lines nor parquet");
        }
        match text.trim_ascii_start().first() {
            None if start.len() as u64 == SNIFFED_BYTES => refuse("not a table: it starts with blanks only"),
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

    /// The rows, with the cells of `columns` (positions in the header) only. Other columns are not decoded.
    pub fn records(self, columns: Vec<usize>) -> Records {
        match self {
            Self::Csv(table) => Box::new(table.records(columns)),
            Self::Json(table) => Box::new(table.records(columns).map(|record| record.map_err(Unreadable::File))),
            Self::Parquet(table) => Box::new(table.records(columns).map(|record| record.map_err(Unreadable::File))),
        }
    }
}
