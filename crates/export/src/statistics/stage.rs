//! The rows of a table on disk, and what is known of its columns only after the last row.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::Path;

use super::description::Absence;
use crate::table::Cell;

/// Rows that are being collected in a file without a name.
pub struct CellStage {
    out: BufWriter<File>,
    rows: u64,
    extents: Vec<CellExtent>,
}

/// All rows of a table.
pub struct StagedCells {
    /// A JSON array of cells a line.
    file: File,
    pub rows: u64,
    /// One for each column.
    pub extents: Vec<CellExtent>,
}

/// Properties of all cells of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellExtent {
    /// Size of the longest text.
    pub bytes: usize,
    /// Whether every number is a whole one.
    pub whole: bool,
    /// Whether an answer is the number that means a missing one in other columns.
    pub taken: [bool; Absence::ALL.len()],
}

impl CellStage {
    pub fn create(folder: &Path, columns: usize) -> io::Result<Self> {
        let nothing = CellExtent { bytes: 0, whole: true, taken: Default::default() };
        let out = BufWriter::new(tempfile::tempfile_in(folder)?);
        Ok(Self { out, rows: 0, extents: vec![nothing; columns] })
    }

    pub fn add(&mut self, cells: impl Iterator<Item = Cell>) -> io::Result<()> {
        let cells: Vec<Cell> = cells.map(without_nul).collect();
        for (extent, cell) in self.extents.iter_mut().zip(&cells) {
            extent.hold(cell);
        }
        serde_json::to_writer(&mut self.out, &cells)?;
        self.rows += 1;
        self.out.write_all(b"\n")
    }

    pub fn finish(self) -> io::Result<StagedCells> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(StagedCells { file, rows: self.rows, extents: self.extents })
    }
}

impl StagedCells {
    /// Reads the rows from the first one.
    pub fn rows(&self) -> io::Result<impl Iterator<Item = io::Result<Vec<Cell>>>> {
        let mut file = &self.file;
        file.rewind()?;
        Ok(BufReader::new(file).lines().map(|line| Ok(serde_json::from_str(&line?)?)))
    }
}

impl CellExtent {
    fn hold(&mut self, cell: &Cell) {
        match cell {
            Cell::Text(text) => self.bytes = self.bytes.max(text.len()),
            Cell::Number(number) => {
                self.whole &= number.fract() == 0.0;
                for (taken, absence) in self.taken.iter_mut().zip(Absence::ALL) {
                    *taken |= *number == f64::from(absence.number());
                }
            }
            Cell::Code(_) | Cell::Failed | Cell::Skipped | Cell::Missing => {}
        }
    }
}

/// Removes NULs, which end a text for most readers of these formats.
fn without_nul(cell: Cell) -> Cell {
    match cell {
        Cell::Text(text) if text.contains('\0') => Cell::Text(text.replace('\0', "")),
        cell => cell,
    }
}
