//! Wide files of text: CSV and JSON Lines.

use serde_json::{Map, Value};

use super::columns::{Cell, Columns, Form};
use super::table::WideTable;
use crate::error::{Error, Result};
use crate::results::files::csv;
use crate::results::pages::InterviewOutcomes;
use crate::results::run::Run;
use crate::results::stream::Encode;

/// Writes the rows of a wide file.
pub struct Encoder {
    table: WideTable,
    kind: TextFormat,
}

/// What a row is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    Csv {
        /// Every text as it was given. Otherwise an apostrophe stands before what a spreadsheet would run as a formula.
        raw: bool,
    },
    Jsonl,
}

impl Encoder {
    pub fn new(columns: Columns, form: Form, kind: TextFormat) -> Self {
        Self { table: WideTable::new(columns, form), kind }
    }
}

impl Encode for Encoder {
    fn head(&mut self) -> Vec<u8> {
        match self.kind {
            TextFormat::Jsonl => Vec::new(),
            TextFormat::Csv { .. } => csv::head(&self.table.header().collect::<Vec<_>>()),
        }
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        for interview in page {
            let cells = self.table.row(run, interview);
            match self.kind {
                TextFormat::Csv { raw } => {
                    for (place, cell) in cells.enumerate() {
                        if place > 0 {
                            out.push(b',');
                        }
                        match cell {
                            Cell::Missing | Cell::Failed | Cell::Skipped => {}
                            Cell::Text(text) => csv::text(out, &text, raw),
                            Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
                            Cell::Code(code) => out.extend_from_slice(code.to_string().as_bytes()),
                        }
                    }
                    out.extend_from_slice(b"\r\n");
                }
                TextFormat::Jsonl => {
                    let object: Map<String, Value> =
                        self.table.header().map(str::to_owned).zip(cells.map(json)).collect();
                    serde_json::to_writer(&mut *out, &object)
                        .map_err(|error| Error::internal(format!("a row of the export: {error}")))?;
                    out.push(b'\n');
                }
            }
        }
        Ok(())
    }
}

/// Whole numbers without a point.
fn json(cell: Cell) -> Value {
    match cell {
        Cell::Missing | Cell::Failed | Cell::Skipped => Value::Null,
        Cell::Text(text) => text.into(),
        Cell::Code(code) => code.into(),
        #[expect(clippy::cast_possible_truncation, reason = "only whole numbers that fit are cast")]
        Cell::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => (number as i64).into(),
        Cell::Number(number) => number.into(),
    }
}
