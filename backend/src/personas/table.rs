//! A persona file as a table: a header, then records of the requested columns.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::csv::CsvTable;
use super::jsonl::JsonTable;
use super::parquet::ParquetTable;
use super::record::{Record, Unreadable};
use super::text;
use super::xlsx::XlsxTable;
use crate::error::{Error, Result};

/// Size of the part of a file that decides its format, in bytes.
const SNIFFED_BYTES: u64 = 8192;

/// The records of a file, in its order. After [`Unreadable::File`] there are no more.
pub type Records = Box<dyn Iterator<Item = Result<Record, Unreadable>>>;

pub enum PersonaTable {
    Csv(CsvTable),
    Json(JsonTable),
    Parquet(ParquetTable),
    Xlsx(XlsxTable),
}

impl PersonaTable {
    /// Opens the file and reads its header. Its first bytes decide the format. `name` is the file's name in messages.
    pub fn open(name: String, path: &Path) -> Result<Self> {
        let refuse = |what: &str| Err(Error::bad_input(format!("{name}: {what}")));
        let opened = File::open(path).and_then(|mut file| {
            let mut start = Vec::new();
            (&file).take(SNIFFED_BYTES).read_to_end(&mut start)?;
            file.rewind()?;
            Ok((file, start))
        });
        let (file, start) = match opened {
            Ok(opened) => opened,
            Err(error) => return refuse(&format!("cannot be read: {error}")),
        };
        match start[..] {
            [b'P', b'A', b'R', b'1', ..] => return Ok(Self::Parquet(ParquetTable::open(name, file)?)),
            [b'P', b'K', 3, 4, ..] => return Ok(Self::Xlsx(XlsxTable::open(name, file)?)),
            [0xd0, 0xcf, 0x11, 0xe0, ..] => return refuse("an old Excel file; save it as .xlsx or as CSV"),
            _ => {}
        }
        let mut start = Vec::new();
        if let Err(error) = text::open(path).and_then(|text| text.take(SNIFFED_BYTES).read_to_end(&mut start)) {
            return refuse(&format!("cannot be read: {error}"));
        }
        let text = &start[..];
        let first_line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        // A NUL further down may be one bad cell of a table: its own error names the line.
        if first_line.contains(&0) || (text.contains(&0) && std::str::from_utf8(first_line).is_err()) {
            return refuse("not a table: binary data, neither CSV, JSON Lines, parquet nor .xlsx");
        }
        match text.trim_ascii_start().first() {
            None if start.len() as u64 == SNIFFED_BYTES => refuse("not a table: it starts with blanks only"),
            None => refuse("the file is empty"),
            Some(b'{') => Ok(Self::Json(JsonTable::open(name, path)?)),
            Some(b'[') => refuse("a JSON array; write one JSON object a line (JSON Lines)"),
            Some(b'<') => refuse("not a table: it looks like HTML or XML"),
            Some(_) => Ok(Self::Csv(CsvTable::open(name, path, text)?)),
        }
    }

    /// The names of the columns, as the file spells them.
    pub fn header(&self) -> &[String] {
        match self {
            Self::Csv(table) => table.header(),
            Self::Json(table) => table.header(),
            Self::Parquet(table) => table.header(),
            Self::Xlsx(table) => table.header(),
        }
    }

    /// Reads the rows, with only the cells of `columns` (positions in the header). Other columns are not decoded.
    pub fn records(self, columns: Vec<usize>) -> Records {
        match self {
            Self::Csv(table) => Box::new(table.records(columns)),
            Self::Json(table) => Box::new(table.records(columns).map(|record| record.map_err(Unreadable::File))),
            Self::Parquet(table) => Box::new(table.records(columns).map(|record| record.map_err(Unreadable::File))),
            Self::Xlsx(table) => Box::new(table.records(columns).map(|record| record.map_err(Unreadable::File))),
        }
    }
}
