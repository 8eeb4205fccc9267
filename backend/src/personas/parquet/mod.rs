//! Parquet files, row by row.
//!
//! The parquet crate reads the file's metadata and rare encodings. Common ones go through [`cells`], because the crate
//! holds a page at a time and writers put a thousand texts of 170 KB into one page.

mod cells;
mod decoded;
mod levels;
mod page;
mod snappy;
mod values;

use std::fs::File;
use std::io::ErrorKind;
use std::sync::Arc;

use parquet::file::reader::{FileReader, SerializedFileReader};

use self::cells::Cells;
use self::decoded::Decoded;
use super::table::{Place, Record};
use crate::error::{Error, Result};

pub struct ParquetTable {
    name: String,
    header: Vec<String>,
    /// The leaf of the file's schema that each column of the header is.
    leaves: Vec<usize>,
    file: Arc<File>,
    reader: SerializedFileReader<File>,
}

impl ParquetTable {
    pub fn open(name: String, file: File) -> Result<Self> {
        let damaged = |error: &dyn std::fmt::Display| {
            Error::bad_input(format!("{name}: a truncated or damaged parquet file: {}", one_line(error)))
        };
        let copy = file.try_clone().map_err(|error| damaged(&error))?;
        let reader = SerializedFileReader::new(copy).map_err(|error| damaged(&error))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let (mut header, mut leaves) = (Vec::new(), Vec::new());
        for (leaf, column) in schema.columns().iter().enumerate() {
            // Lists and structs hold no persona text.
            if column.path().parts().len() == 1 && column.max_rep_level() == 0 && decoded::reads(column.physical_type())
            {
                header.push(column.name().to_owned());
                leaves.push(leaf);
            }
        }
        Ok(Self { name, header, leaves, file: Arc::new(file), reader })
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    pub fn records(self, columns: Vec<usize>) -> impl Iterator<Item = Result<Record>> {
        let mut rows = Rows { table: self, columns, group: 0, left: 0, open: Vec::new(), row: 0 };
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed {
                return None;
            }
            let record = rows.next().transpose();
            failed = matches!(record, Some(Err(_)));
            record
        })
    }
}

/// One column of the row group at hand.
enum Column {
    Streamed(Box<Cells>),
    Decoded(Box<Decoded>),
}

struct Rows {
    table: ParquetTable,
    columns: Vec<usize>,
    /// The row group that comes next.
    group: usize,
    /// Rows left of the one at hand.
    left: u64,
    open: Vec<Column>,
    /// Rows read so far.
    row: u64,
}

impl Rows {
    fn next(&mut self) -> Result<Option<Record>> {
        while self.left == 0 {
            let groups = self.table.reader.metadata().row_groups();
            let Some(group) = groups.get(self.group) else { return Ok(None) };
            self.left = u64::try_from(group.num_rows()).unwrap_or(0);
            // The old columns' buffers go before the new ones' come.
            self.open.clear();
            self.open = self.columns.iter().map(|&column| self.open(column)).collect::<Result<_>>()?;
            self.group += 1;
        }
        self.left -= 1;
        self.row += 1;
        let mut cells = Vec::with_capacity(self.columns.len());
        for (column, position) in self.open.iter_mut().zip(&self.columns) {
            let cell = column.next();
            cells.push(cell.map_err(|what| self.table.refuse(self.row, *position, &what))?);
        }
        Ok(Some(Record { place: Place::Row(self.row), cells }))
    }

    fn open(&self, position: usize) -> Result<Column> {
        let table = &self.table;
        let refuse = |what: &dyn std::fmt::Display| table.refuse(self.row + 1, position, &one_line(what));
        let leaf = table.leaves[position];
        let group = table.reader.metadata().row_group(self.group);
        let Some(chunk) = group.columns().get(leaf) else { return Err(refuse(&"the column is missing")) };
        let start = chunk.dictionary_page_offset().filter(|&offset| offset > 0).unwrap_or(chunk.data_page_offset());
        let (Ok(start), Ok(len)) = (u64::try_from(start), u64::try_from(chunk.compressed_size())) else {
            return Err(refuse(&"a damaged file: a column at a negative offset"));
        };
        if cells::reads(chunk) {
            let range = start..start.saturating_add(len);
            let cells = Cells::new(table.file.clone(), chunk, range).map_err(|error| refuse(&error))?;
            return Ok(Column::Streamed(Box::new(cells)));
        }
        let column = Decoded::open(&table.reader, self.group, leaf).map_err(|error| refuse(&error))?;
        Ok(Column::Decoded(Box::new(column)))
    }
}

impl Column {
    fn next(&mut self) -> Result<Option<String>, String> {
        match self {
            Self::Streamed(cells) => match cells.next() {
                Ok(cell) => Ok(cell),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    Err("a truncated or damaged parquet file: the column ends early".to_owned())
                }
                Err(error) => Err(format!("a damaged parquet file: {}", one_line(&error))),
            },
            Self::Decoded(column) => column.next().map_err(|error| one_line(&error)),
        }
    }
}

impl ParquetTable {
    fn refuse(&self, row: u64, position: usize, what: &str) -> Error {
        Error::bad_input(format!("{}: row {row}, column {}: {what}", self.name, self.header[position]))
    }
}

fn one_line(what: &dyn std::fmt::Display) -> String {
    what.to_string().replace(['\n', '\r'], " ")
}
