//! A table of answers with a row a person, for statistics programs: a column for each attribute, question, row of a matrix and
//! option of a multiple choice; and what describes these columns.

pub mod codebook;
mod column;
mod parquet;
pub mod scripts;
mod text;
mod wide;

pub use column::{Cell, Column, Form, NOTICE_LABEL, Values};
pub use parquet::ParquetWriter;
pub use text::{TextFormat, TextWriter};
pub use wide::WideTable;

use crate::Result;

/// Writes rows in one format: a head, then the rows page by page, then a tail.
pub trait RowWriter: Send {
    fn head(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Appends these rows, each with a cell for each column, and the notice at its end.
    fn page(&mut self, rows: &[Vec<Cell>], notice: &str, out: &mut Vec<u8>) -> Result<()>;

    /// Appends what follows the last row.
    fn tail(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
