//! Tables as parquet.

use super::{Cell, Column, RowWriter, TableFormat, TableOptions, Values, WideTable, codebook};
use crate::Result;
use crate::parquet::{ColumnKind, Datum, Writer};

pub const PARQUET: TableFormat =
    TableFormat { extension: "parquet", open: |options| Ok(Box::new(ParquetWriter::new(options)?)) };

/// Writes the notice and the codebook into the notes of the file.
struct ParquetWriter {
    table: WideTable,
    kinds: Vec<ColumnKind>,
    writer: Writer,
}

impl ParquetWriter {
    fn new(options: TableOptions<'_>) -> Result<Self> {
        let TableOptions { columns, form, notice, program, .. } = options;
        let book = codebook::csv(&columns);
        let book = String::from_utf8_lossy(&book).trim_start_matches('\u{feff}').to_owned();
        let table = WideTable::new(columns, form);
        let kinds: Vec<ColumnKind> = table
            .written()
            .map(|(column, labels)| match column.map(|column| (&column.values, column.kind)) {
                Some((Values::Coded(_), _)) if !labels => ColumnKind::Whole,
                Some((Values::Number, Column::ID)) => ColumnKind::Whole,
                Some((Values::Number, _)) => ColumnKind::Number,
                _ => ColumnKind::Text,
            })
            .collect();
        let notes = vec![("notice", notice.to_owned()), ("codebook.csv", book)];
        let writer = Writer::new(table.header().zip(kinds.iter().copied()), notes, program)?;
        Ok(Self { table, kinds, writer })
    }
}

impl RowWriter for ParquetWriter {
    fn page(&mut self, rows: &[Vec<Cell>], notice: &str, out: &mut Vec<u8>) -> Result<()> {
        for row in rows {
            let cells: Vec<Cell> = self.table.row(row, notice).collect();
            self.writer.row(cells.iter().zip(&self.kinds).map(|(cell, kind)| match cell {
                Cell::Missing | Cell::Failed | Cell::Skipped => Datum::Missing,
                Cell::Text(text) => Datum::Text(text),
                Cell::Code(code) => Datum::Whole((*code).into()),
                #[expect(clippy::cast_possible_truncation, reason = "ids are whole")]
                Cell::Number(number) if *kind == ColumnKind::Whole => Datum::Whole(*number as i64),
                Cell::Number(number) => Datum::Number(*number),
            }));
        }
        self.writer.flush(out)
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.writer.finish(out)
    }
}
