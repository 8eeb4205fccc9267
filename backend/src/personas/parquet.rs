//! Reads parquet files row by row, decoded by the parquet crate.
//!
//! The crate holds one page of each column. Writers put a thousand texts of 170 KB into one page, so an import of such
//! a file takes some hundred megabytes.

use std::collections::VecDeque;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::record::{Record, RecordPlace};
use crate::error::{Error, Result};

/// Rows decoded together; their texts are in memory together.
const BATCH_ROWS: usize = 32;

pub struct ParquetTable {
    name: String,
    header: Vec<String>,
    /// Leaf of the file's schema for each column of the header.
    leaves: Vec<usize>,
    reader: SerializedFileReader<File>,
}

impl ParquetTable {
    pub fn open(name: String, file: File) -> Result<Self> {
        let opened = guarded(|| SerializedFileReader::new(file));
        let reader = opened.map_err(|reason| Error::bad_input(format!("{name}: {}", damaged(&reason))))?;
        let (mut header, mut leaves) = (Vec::new(), Vec::new());
        for (leaf, column) in reader.metadata().file_metadata().schema_descr().columns().iter().enumerate() {
            // Lists and structs hold no persona text, and the other types have no plain spelling.
            let readable = !matches!(column.physical_type(), Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY);
            if column.path().parts().len() == 1 && column.max_rep_level() == 0 && readable {
                header.push(column.name().to_owned());
                leaves.push(leaf);
            }
        }
        Ok(Self { name, header, leaves, reader })
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

struct Rows {
    table: ParquetTable,
    columns: Vec<usize>,
    /// Index of the next row group.
    group: usize,
    /// Rows left of the current row group.
    left: u64,
    /// The columns of the current row group.
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
            // The old pages are freed before the new ones are read.
            self.open.clear();
            self.open = self.columns.iter().map(|&column| self.open(column)).collect::<Result<_>>()?;
            self.group += 1;
        }
        self.left -= 1;
        self.row += 1;
        let mut cells = Vec::with_capacity(self.columns.len());
        for (column, &position) in self.open.iter_mut().zip(&self.columns) {
            cells.push(column.next().map_err(|reason| self.table.refuse(self.row, position, &reason))?);
        }
        Ok(Some(Record { place: RecordPlace::Row(self.row), cells }))
    }

    fn open(&self, position: usize) -> Result<Column> {
        let table = &self.table;
        let reader = guarded(|| table.reader.get_row_group(self.group)?.get_column_reader(table.leaves[position]));
        match reader {
            Ok(reader) => Ok(Column { reader, ready: VecDeque::new() }),
            Err(reason) => Err(table.refuse(self.row + 1, position, &reason)),
        }
    }
}

/// One column of a row group.
struct Column {
    reader: ColumnReader,
    ready: VecDeque<Option<String>>,
}

impl Column {
    /// The next cell as text, `None` if the file has no value. Fails after the last cell.
    fn next(&mut self) -> Result<Option<String>, ParquetError> {
        if self.ready.is_empty() {
            self.ready = guarded(|| decode(&mut self.reader))?;
        }
        self.ready.pop_front().ok_or_else(|| ParquetError::EOF("the column ends early".to_owned()))
    }
}

impl ParquetTable {
    fn refuse(&self, row: u64, position: usize, reason: &ParquetError) -> Error {
        let column = &self.header[position];
        Error::bad_input(format!("{}: row {row}, column {column}: {}", self.name, damaged(reason)))
    }
}

fn damaged(reason: &ParquetError) -> String {
    format!("a truncated or damaged parquet file: {}", reason.to_string().replace(['\n', '\r'], " "))
}

/// Turns a panic into an error, because the crate panics at some damaged files. The error ends the import, so the
/// reader is not used again.
fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ParquetError::General("a page that cannot be decoded".to_owned())))
}

fn decode(reader: &mut ColumnReader) -> Result<VecDeque<Option<String>>, ParquetError> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::Int32ColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::Int64ColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::FloatColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::DoubleColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::ByteArrayColumnReader(reader) => batch(reader, |value| {
            let not_utf8 = |_| ParquetError::General("not UTF-8".to_owned());
            String::from_utf8(value.data().to_vec()).map_err(not_utf8)
        }),
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            Err(ParquetError::NYI("values of this type".to_owned()))
        }
    }
}

fn batch<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    text: impl Fn(&T::T) -> Result<String, ParquetError>,
) -> Result<VecDeque<Option<String>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, found, _) = reader.read_records(BATCH_ROWS, Some(&mut levels), None, &mut values)?;
    let mut texts = values.iter().map(text);
    if found == rows {
        return texts.map(|text| text.map(Some)).collect();
    }
    levels.iter().map(|&level| if level == 0 { Ok(None) } else { texts.next().transpose() }).collect()
}
