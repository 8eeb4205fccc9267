//! Tables as JSON Lines: an object a row.

use std::io;

use serde_json::{Map, Value};

use super::{Cell, RowWriter, TableFormat, WideTable};
use crate::Result;

pub const JSONL: TableFormat = TableFormat {
    extension: "jsonl",
    open: |options| Ok(Box::new(JsonlWriter { table: WideTable::new(options.columns, options.form) })),
};

struct JsonlWriter {
    table: WideTable,
}

impl RowWriter for JsonlWriter {
    fn page(&mut self, rows: &[Vec<Cell>], notice: &str, out: &mut Vec<u8>) -> Result<()> {
        for row in rows {
            let cells = self.table.row(row, notice).map(json);
            let object: Map<String, Value> = self.table.header().map(str::to_owned).zip(cells).collect();
            serde_json::to_writer(&mut *out, &object).map_err(io::Error::from)?;
            out.push(b'\n');
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
