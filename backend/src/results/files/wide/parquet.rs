//! The wide table as parquet.

use super::codebook;
use super::columns::{Cell, Columns, Form, Values};
use super::table::WideTable;
use crate::error::Result;
use crate::results::files::parquet::{ColumnKind, Datum, Writer, failure};
use crate::results::pages::InterviewOutcomes;
use crate::results::run::Run;
use crate::results::stream::Encode;

/// Writes the rows of a wide file. Its notes hold the notice of the run and the codebook.
pub struct Encoder {
    table: WideTable,
    kinds: Vec<ColumnKind>,
    writer: Writer,
}

impl Encoder {
    pub fn new(run: &Run, columns: Columns, form: Form, program: &str) -> Result<Self> {
        let book = codebook::csv(&columns);
        let book = String::from_utf8_lossy(&book).trim_start_matches('\u{feff}').to_owned();
        let table = WideTable::new(columns, form);
        let kinds: Vec<ColumnKind> = table
            .written()
            .map(|(column, labels)| match column.map(|column| (&column.values, column.kind)) {
                Some((Values::Coded(_), _)) if !labels => ColumnKind::Whole,
                Some((Values::Number, "ID")) => ColumnKind::Whole,
                Some((Values::Number, _)) => ColumnKind::Number,
                _ => ColumnKind::Text,
            })
            .collect();
        let notes = vec![("notice", run.notice.clone()), ("codebook.csv", book)];
        let writer = Writer::new(table.header().zip(kinds.iter().copied()), notes, program).map_err(failure)?;
        Ok(Self { table, kinds, writer })
    }
}

impl Encode for Encoder {
    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        for interview in page {
            let cells: Vec<Cell> = self.table.row(run, interview).collect();
            self.writer.row(cells.iter().zip(&self.kinds).map(|(cell, kind)| match cell {
                Cell::Missing | Cell::Failed | Cell::Skipped => Datum::Missing,
                Cell::Text(text) => Datum::Text(text),
                Cell::Code(code) => Datum::Whole((*code).into()),
                #[expect(clippy::cast_possible_truncation, reason = "ids are whole")]
                Cell::Number(number) if *kind == ColumnKind::Whole => Datum::Whole(*number as i64),
                Cell::Number(number) => Datum::Number(*number),
            }));
        }
        self.writer.flush(out).map_err(failure)
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.writer.finish(out).map_err(failure)
    }
}
