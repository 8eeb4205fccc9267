//! Parquet with optional columns, compressed by zstd. Row groups are written as they fill, so memory does not grow with
//! the file.

use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;

use crate::Result;

/// Bytes of cells in memory that make a row group.
const ROW_GROUP_BYTES: usize = 32 << 20;
/// Memory of a text beside its own bytes.
const TEXT_BYTES: usize = 64;
/// Memory of a number.
const NUMBER_BYTES: usize = 10;

/// Type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Number,
    Whole,
}

/// A cell of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum<'a> {
    Missing,
    Text(&'a str),
    Number(f64),
    Whole(i64),
}

enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<f64>),
    Whole(Vec<i64>),
}

struct Column {
    values: Values,
    /// Per cell 1 where there is a value, 0 where it is missing.
    levels: Vec<i16>,
}

/// A parquet file that is being written.
pub struct Writer {
    file: SerializedFileWriter<Vec<u8>>,
    columns: Vec<Column>,
    /// Memory of the cells that are not in a row group yet.
    bytes: usize,
}

impl Writer {
    /// `notes` are kept in the file under their names, and the program that wrote it.
    pub fn new<'a>(
        columns: impl Iterator<Item = (&'a str, ColumnKind)>,
        notes: Vec<(&str, String)>,
        program: &str,
    ) -> Result<Self> {
        let columns: Vec<(&str, ColumnKind)> = columns.collect();
        let fields = columns.iter().map(|(name, kind)| field(name, *kind).map(Arc::new)).collect::<Result<_>>()?;
        let schema = Type::group_type_builder("answers").with_fields(fields).build()?;
        let notes = notes.into_iter().map(|(name, text)| KeyValue::new(name.to_owned(), text)).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(program.to_owned())
            .set_key_value_metadata(Some(notes))
            .build();
        let file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
        let columns = columns.iter().map(|(_, kind)| Column::of(*kind)).collect();
        Ok(Self { file, columns, bytes: 0 })
    }

    /// Adds a row with a cell for each column. A cell of another kind than its column is missing.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Datum<'a>>) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            self.bytes += column.push(cell);
        }
    }

    /// Appends to `out` what is complete of the file so far.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.bytes >= ROW_GROUP_BYTES {
            self.row_group()?;
        }
        self.file.flush()?;
        out.append(self.file.inner_mut());
        Ok(())
    }

    /// Appends the rest of the file. Nothing may be written after it.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.bytes > 0 {
            self.row_group()?;
        }
        self.file.finish()?;
        out.append(self.file.inner_mut());
        Ok(())
    }

    fn row_group(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut chunk) = group.next_column()? else { break };
            let levels = Some(column.levels.as_slice());
            match &mut column.values {
                Values::Text(values) => {
                    chunk.typed::<ByteArrayType>().write_batch(values, levels, None)?;
                    values.clear();
                }
                Values::Number(values) => {
                    chunk.typed::<DoubleType>().write_batch(values, levels, None)?;
                    values.clear();
                }
                Values::Whole(values) => {
                    chunk.typed::<Int64Type>().write_batch(values, levels, None)?;
                    values.clear();
                }
            }
            chunk.close()?;
            column.levels.clear();
        }
        group.close()?;
        self.bytes = 0;
        Ok(())
    }
}

fn field(name: &str, kind: ColumnKind) -> Result<Type> {
    let (physical, logical) = match kind {
        ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Number => (PhysicalType::DOUBLE, None),
        ColumnKind::Whole => (PhysicalType::INT64, None),
    };
    let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(field.with_logical_type(logical).build()?)
}

impl Column {
    fn of(kind: ColumnKind) -> Self {
        let values = match kind {
            ColumnKind::Text => Values::Text(Vec::new()),
            ColumnKind::Number => Values::Number(Vec::new()),
            ColumnKind::Whole => Values::Whole(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    /// Adds the cell. Returns its bytes in memory.
    fn push(&mut self, cell: Datum<'_>) -> usize {
        let mut bytes = NUMBER_BYTES;
        let there = match (&mut self.values, cell) {
            (Values::Text(values), Datum::Text(text)) => {
                bytes = TEXT_BYTES + text.len();
                values.push(text.into());
                true
            }
            (Values::Number(values), Datum::Number(number)) => {
                values.push(number);
                true
            }
            (Values::Whole(values), Datum::Whole(number)) => {
                values.push(number);
                true
            }
            _ => false,
        };
        self.levels.push(there.into());
        bytes
    }
}
