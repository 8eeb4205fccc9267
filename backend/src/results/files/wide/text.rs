//! Wide files of text: CSV and JSON Lines.

use serde_json::{Map, Value};

use super::columns::{Cell, Column, Columns, Form};
use crate::error::{Error, Result};
use crate::models::questions::names::Names;
use crate::results::files::csv;
use crate::results::pages::Interview;
use crate::results::run::Run;
use crate::results::stream::Encode;

/// A column as a file has it.
#[derive(Clone, Debug)]
struct Written {
    name: String,
    /// The place among the [`Columns`].
    place: usize,
    /// Codes are written as their labels.
    labels: bool,
}

/// Writes the rows of a wide file. Its last column is the notice of the run.
pub struct Encoder {
    columns: Columns,
    written: Vec<Written>,
    kind: Kind,
}

/// What a row is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Csv {
        /// Every text as it was given. Otherwise an apostrophe stands before what a spreadsheet would run as a formula.
        raw: bool,
    },
    Jsonl,
}

const NOTICE: &str = "notice";

impl Encoder {
    pub fn new(columns: Columns, form: Form, kind: Kind) -> Self {
        let mut names = Names::default();
        for column in &columns.0 {
            names.free(&column.name, "");
        }
        let mut written = Vec::new();
        for (place, column) in columns.0.iter().enumerate() {
            let labels = form == Form::Labels && column.is_worded();
            written.push(Written { name: column.name.clone(), place, labels });
            if form == Form::Both && column.is_worded() {
                written.push(Written { name: names.free(&column.name, "_label"), place, labels: true });
            }
        }
        // A question may be called `notice` too.
        written.push(Written { name: names.free(NOTICE, ""), place: usize::MAX, labels: false });
        Self { columns, written, kind }
    }

    fn value(&self, written: &Written, row: &[Cell], run: &Run) -> Cell {
        match (self.columns.0.get(written.place), row.get(written.place)) {
            (Some(column), Some(Cell::Code(code))) if written.labels => worded(column, *code),
            (_, Some(cell)) => cell.clone(),
            _ => Cell::Text(run.notice.clone()),
        }
    }
}

fn worded(column: &Column, code: i32) -> Cell {
    column.label_of(code).map_or(Cell::Missing, |label| Cell::Text(label.to_owned()))
}

impl Encode for Encoder {
    fn head(&self) -> Vec<u8> {
        match self.kind {
            Kind::Jsonl => Vec::new(),
            Kind::Csv { .. } => csv::head(&self.written.iter().map(|column| column.name.as_str()).collect::<Vec<_>>()),
        }
    }

    fn page(&mut self, run: &Run, page: &[Interview], out: &mut Vec<u8>) -> Result<()> {
        for interview in page {
            let row = self.columns.row(interview);
            let cells = self.written.iter().map(|written| (written, self.value(written, &row, run)));
            match self.kind {
                Kind::Csv { raw } => {
                    for (place, (_, cell)) in cells.enumerate() {
                        if place > 0 {
                            out.push(b',');
                        }
                        match cell {
                            Cell::Missing => {}
                            Cell::Text(text) => csv::text(out, &text, raw),
                            Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
                            Cell::Code(code) => out.extend_from_slice(code.to_string().as_bytes()),
                        }
                    }
                    out.extend_from_slice(b"\r\n");
                }
                Kind::Jsonl => {
                    let object: Map<String, Value> =
                        cells.map(|(written, cell)| (written.name.clone(), json(cell))).collect();
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
        Cell::Missing => Value::Null,
        Cell::Text(text) => text.into(),
        Cell::Code(code) => code.into(),
        #[expect(clippy::cast_possible_truncation, reason = "only whole numbers that fit are cast")]
        Cell::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => (number as i64).into(),
        Cell::Number(number) => number.into(),
    }
}
