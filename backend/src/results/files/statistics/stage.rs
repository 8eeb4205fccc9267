//! The rows of a table on disk, and what is known of its columns only after the last row.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::Path;

use tokio::sync::mpsc::Receiver;

use super::Absence;
use crate::results::files::wide::columns::Cell;
use crate::results::files::wide::table::WideTable;
use crate::results::files::{Failure, Feed};
use crate::results::run::Run;

pub struct StagedCells {
    /// A JSON array of cells a line.
    file: File,
    pub rows: u64,
    /// For each column.
    pub extents: Vec<CellExtent>,
}

/// What the cells of a column have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellExtent {
    /// Of the longest text.
    pub bytes: usize,
    /// Every number is a whole one.
    pub whole: bool,
    /// An answer is the number that stands elsewhere for one that is missing so.
    pub taken: [bool; Absence::ALL.len()],
}

impl StagedCells {
    /// Writes the rows of the pages that arrive to a file without a name in `folder`.
    pub fn fill(folder: &Path, table: &WideTable, run: &Run, mut inbox: Receiver<Feed>) -> Result<Self, Failure> {
        let nothing = CellExtent { bytes: 0, whole: true, taken: Default::default() };
        let mut extents = vec![nothing; table.header().count()];
        let mut out = BufWriter::new(tempfile::tempfile_in(folder)?);
        let mut rows = 0;
        loop {
            let page = match inbox.blocking_recv() {
                Some(Feed::Page(page)) => page,
                Some(Feed::End) => break,
                None => return Err(Failure::GivenUp),
            };
            for interview in &page {
                let cells: Vec<Cell> = table.row(run, interview).map(without_nul).collect();
                for (extent, cell) in extents.iter_mut().zip(&cells) {
                    extent.hold(cell);
                }
                serde_json::to_writer(&mut out, &cells).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
                rows += 1;
            }
        }
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Self { file, rows, extents })
    }

    /// The rows from the first one.
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

/// A NUL ends a text for most readers of these formats.
fn without_nul(cell: Cell) -> Cell {
    match cell {
        Cell::Text(text) if text.contains('\0') => Cell::Text(text.replace('\0', "")),
        cell => cell,
    }
}
