//! The rows of a table, and numbers as texts.

use std::collections::HashSet;
use std::sync::Arc;

use super::table::Unreadable;

/// Maximum number of cells. A cell takes 16 bytes of memory, and perhaps one byte of the file.
const MAX_CELLS: usize = 20_000_000;
/// Maximum number of rows. A row takes some 50 bytes more.
const MAX_ROWS: usize = 1_000_000;

/// The rows that are not empty. Equal cells share their text, because most columns have few values.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<Vec<Arc<str>>>,
    texts: HashSet<Arc<str>>,
}

impl Rows {
    /// Adds a row unless all of its cells are empty. Fails beyond the maximum number of rows or cells.
    pub fn push<C: AsRef<str>>(
        &mut self,
        columns: usize,
        cells: impl Iterator<Item = Result<C, Unreadable>>,
    ) -> Result<(), Unreadable> {
        cancellation::check();
        if self.rows.len() == MAX_ROWS {
            return Err(Unreadable::TooMany { most: MAX_ROWS, what: "rows" });
        }
        if (self.rows.len() + 1).saturating_mul(columns) > MAX_CELLS {
            return Err(Unreadable::TooMany { most: MAX_CELLS, what: "cells" });
        }
        let mut row = Vec::with_capacity(columns);
        for cell in cells {
            row.push(self.shared(cell?.as_ref()));
        }
        if row.iter().any(|cell| !cell.is_empty()) {
            self.rows.push(row);
        }
        Ok(())
    }

    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text));
        text
    }

    pub fn into_rows(self) -> Vec<Vec<Arc<str>>> {
        self.rows
    }
}

/// Writes a number: a whole one without decimals, others with the shortest digits that read back. NaN and infinities
/// are empty.
pub(super) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        String::new()
    } else if value == 0.0 {
        "0".to_owned()
    } else if (1e-5..1e17).contains(&magnitude) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Writes a number of single precision: 0.1 is `0.1`.
pub(super) fn short_number(value: f32) -> String {
    if value.fract() == 0.0 || !(1e-5..1e17).contains(&value.abs()) {
        return number(value.into());
    }
    value.to_string()
}
