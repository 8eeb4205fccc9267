//! Tables as text: CSV and JSON Lines.

use std::io;

use serde_json::{Map, Value};

use super::{Cell, Column, Form, RowWriter, WideTable};
use crate::{Result, csv};

/// Writes the rows of a table.
pub struct TextWriter {
    table: WideTable,
    format: TextFormat,
}

/// Format of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    Csv {
        /// Whether every text is written as it was given. Otherwise an apostrophe stands before what a spreadsheet would run as
        /// a formula.
        raw: bool,
    },
    Jsonl,
}

impl TextWriter {
    pub fn new(columns: Vec<Column>, form: Form, format: TextFormat) -> Self {
        Self { table: WideTable::new(columns, form), format }
    }
}

impl RowWriter for TextWriter {
    fn head(&mut self) -> Vec<u8> {
        match self.format {
            TextFormat::Jsonl => Vec::new(),
            TextFormat::Csv { .. } => csv::head(&self.table.header().collect::<Vec<_>>()),
        }
    }

    fn page(&mut self, rows: &[Vec<Cell>], notice: &str, out: &mut Vec<u8>) -> Result<()> {
        for row in rows {
            let cells = self.table.row(row, notice);
            match self.format {
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
                    serde_json::to_writer(&mut *out, &object).map_err(io::Error::from)?;
                    out.push(b'\n');
                }
            }
        }
        Ok(())
    }
}

/// Returns the cell as JSON, whole numbers without a point.
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
