//! A table of answers with a row a person, for statistics programs: a column for each attribute, question, row of a matrix and
//! option of a multiple choice; and what describes these columns.
//!
//! A format that is written row by row is a file in this folder and a line in [`FORMATS`].

pub mod codebook;
mod column;
mod csv;
mod jsonl;
mod parquet;
pub mod scripts;
mod wide;

pub use column::{Cell, Column, Form, NOTICE_LABEL, Values};
pub use csv::CSV;
pub use jsonl::JSONL;
pub use parquet::PARQUET;
pub use wide::WideTable;

use crate::Result;

/// All formats that are written row by row.
pub const FORMATS: [TableFormat; 3] = [CSV, JSONL, PARQUET];

/// A format of tables.
#[derive(Clone, Copy)]
pub struct TableFormat {
    /// Ending of the names of files.
    pub extension: &'static str,
    open: fn(TableOptions<'_>) -> Result<Box<dyn RowWriter>>,
}

/// Content and options of a table's file.
pub struct TableOptions<'a> {
    pub columns: Vec<Column>,
    pub form: Form,
    /// Whether CSV keeps texts that a spreadsheet would run as formulas.
    pub raw: bool,
    pub notice: &'a str,
    /// Name and version of the writing program.
    pub program: &'a str,
}

impl TableFormat {
    /// Returns the format of files with this ending.
    pub fn find(extension: &str) -> Option<Self> {
        FORMATS.into_iter().find(|format| format.extension == extension)
    }

    /// Begins a file of this format.
    pub fn open(&self, options: TableOptions<'_>) -> Result<Box<dyn RowWriter>> {
        (self.open)(options)
    }
}

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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_format_is_one_file_in_this_folder_and_one_line() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/table");
        let mut writers = Vec::new();
        for entry in fs::read_dir(folder).expect("the folder") {
            let path = entry.expect("an entry").path();
            if fs::read_to_string(&path).expect("a source").contains("impl RowWriter for") && !path.ends_with("mod.rs")
            {
                writers.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
            }
        }
        writers.sort();
        assert_eq!(writers, FORMATS.map(|format| format.extension));
    }

    #[test]
    fn every_format_writes_the_header_the_cells_and_the_notice() {
        let column = |name: &str, kind, values| Column {
            name: name.to_owned(),
            label: name.to_owned(),
            kind,
            values,
            is_indicator: false,
        };
        let columns = [
            column("personaId", Column::ID, Values::Number),
            column("q1", "SINGLE_CHOICE", Values::Coded(vec![(1, "Tea".to_owned())])),
        ];
        for format in FORMATS {
            let notice = "synthetic twins";
            let options =
                TableOptions { columns: columns.to_vec(), form: Form::Both, raw: false, notice, program: "test" };
            let mut writer = format.open(options).expect("it begins");
            let mut bytes = writer.head();
            writer.page(&[vec![Cell::Number(7.0), Cell::Code(1)]], notice, &mut bytes).expect("a row");
            writer.tail(&mut bytes).expect("an end");
            let text = String::from_utf8_lossy(&bytes);
            for expected in ["personaId", "q1_label", "Tea", notice] {
                assert!(text.contains(expected), "{} without {expected}", format.extension);
            }
        }
        assert_eq!(FORMATS.len(), FORMATS.iter().filter(|each| TableFormat::find(each.extension).is_some()).count());
    }
}
