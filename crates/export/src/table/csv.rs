//! Tables as CSV.

use super::{Cell, RowWriter, TableFormat, TableOptions, WideTable};
use crate::{Result, csv};

pub const CSV: TableFormat = TableFormat {
    extension: "csv",
    open: |options| {
        let TableOptions { columns, form, raw, .. } = options;
        Ok(Box::new(CsvWriter { table: WideTable::new(columns, form), raw }))
    },
};

struct CsvWriter {
    table: WideTable,
    /// Whether every text is written as it was given. Otherwise an apostrophe precedes what a spreadsheet would run as a
    /// formula.
    raw: bool,
}

impl RowWriter for CsvWriter {
    fn head(&mut self) -> Vec<u8> {
        csv::head(&self.table.header().collect::<Vec<_>>())
    }

    fn page(&mut self, rows: &[Vec<Cell>], notice: &str, out: &mut Vec<u8>) -> Result<()> {
        for row in rows {
            for (place, cell) in self.table.row(row, notice).enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                match cell {
                    Cell::Missing | Cell::Failed | Cell::Skipped => {}
                    Cell::Text(text) => csv::text(out, &text, self.raw),
                    Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
                    Cell::Code(code) => out.extend_from_slice(code.to_string().as_bytes()),
                }
            }
            out.extend_from_slice(b"\r\n");
        }
        Ok(())
    }
}
