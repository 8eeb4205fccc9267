//! Stata files: tagged formats 117 to 119 (Stata 13 and later) and binary formats 113 to 115 (Stata 8 to 12), in either
//! byte order. All have the same parts in the same order.

mod columns;
mod header;
mod labels;
mod long_texts;
mod rows;

use super::bytes::ByteReader;
use super::cells::Rows;
use super::table::{Table, Unreadable};
use header::{Header, TAGGED};
use rows::RowReader;

/// Maximum size of the rows' long texts, as a multiple of the file's size.
const MAX_LONG_TEXT_MULTIPLE: usize = 4;

pub(super) fn is_one(bytes: &[u8]) -> bool {
    // No text has control characters at its second and third byte.
    bytes.starts_with(TAGGED) || matches!(bytes, [102..=115, 1 | 2, 1, ..])
}

pub(super) fn parse(bytes: &[u8]) -> Result<Table, Unreadable> {
    let Header { mut reader, format, columns, rows } = Header::read(bytes)?;
    if columns == 0 {
        return Err(Unreadable::Empty);
    }
    let encoding = format.encoding();
    let columns = columns::read(&mut reader, &format, columns, &encoding)?;
    reader.part = "its rows";
    format.open(&mut reader, "data")?;
    let width = columns.iter().map(|column| column.storage.bytes()).sum();
    let rows = usize::try_from(rows).map_err(|_| reader.cut_off())?;
    let data = reader.take_each(rows, width)?;
    format.close(&mut reader, "data")?;
    let long_texts = long_texts::read(&mut reader, &format)?;
    let sets = labels::read(&mut reader, &format, &encoding)?;
    format.close(&mut reader, "stata_dta")?;
    let mut rows_of = RowReader {
        reader: ByteReader { rest: data, ..reader },
        format: &format,
        encoding: &encoding,
        long_texts,
        long_bytes: bytes.len().saturating_mul(MAX_LONG_TEXT_MULTIPLE),
    };
    let mut read = Rows::default();
    for _ in 0..rows {
        read.push(columns.len(), columns.iter().map(|column| rows_of.cell(column.storage)))?;
    }
    let mut table = Table { rows: read.into_rows(), ..Table::default() };
    for column in columns {
        table.value_labels.push(sets.get(&column.label_set).cloned().unwrap_or_default());
        table.names.push(column.name);
        table.labels.push(column.label);
    }
    Ok(table)
}
