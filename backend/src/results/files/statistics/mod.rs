//! A run's wide table for statistics programs, with the labels of its variables and codes: `.sav` for SPSS, `.dta` for
//! Stata.
//!
//! Both formats begin with what is known only after the last row (how many rows, how long the texts), so the rows go to
//! a temporary file first. Files of the same answers are the same bytes: their time is the run's.

mod cut;
mod dta;
pub mod names;
mod notes;
mod sav;
mod stage;
mod variables;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use tokio::sync::mpsc::Receiver;

use super::wide::columns::{Cell, Columns, Form};
use super::wide::table::WideTable;
use super::{Failure, Feed};
use crate::results::run::Run;
use stage::StagedCells;

/// Why an answer is missing, where a file says so. SPSS leaves the number out of its figures; Stata has letters for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absence {
    Failed,
    /// The survey's design did not show the question to the twin.
    Skipped,
}

impl Absence {
    const ALL: [Self; 2] = [Self::Failed, Self::Skipped];

    fn of(cell: &Cell) -> Option<Self> {
        match cell {
            Cell::Failed => Some(Self::Failed),
            Cell::Skipped => Some(Self::Skipped),
            Cell::Missing | Cell::Text(_) | Cell::Number(_) | Cell::Code(_) => None,
        }
    }

    fn number(self) -> i32 {
        match self {
            Self::Failed => -88,
            Self::Skipped => -77,
        }
    }

    /// The letter after the point.
    fn letter(self) -> u8 {
        match self {
            Self::Failed => b'f',
            Self::Skipped => b's',
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Failed => "Failed or refused",
            Self::Skipped => "Not shown",
        }
    }
}

/// Whose format a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Spss,
    Stata,
}

impl Program {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Spss => "sav",
            Self::Stata => "dta",
        }
    }
}

/// The numbers that stand for missing answers with their labels, for each column of the table. They are SPSS' own; a column
/// that says nothing of why has none.
pub(super) type MissingCodes = Vec<Vec<(i32, &'static str)>>;

/// Writes the table of codes into `file`. `folder` holds a temporary file meanwhile.
pub(super) fn build(
    program: Program,
    file: &File,
    folder: &Path,
    run: &Run,
    inbox: Receiver<Feed>,
) -> Result<MissingCodes, Failure> {
    let table = WideTable::new(Columns::of(run), Form::Codes);
    let stage = StagedCells::fill(folder, &table, run, inbox)?;
    let variables = variables::of(run, &table, &stage, program);
    let mut out = BufWriter::new(file);
    match program {
        Program::Spss => sav::write(&mut out, run, &variables, &stage)?,
        Program::Stata => dta::write(&mut out, run, &variables, &stage)?,
    }
    out.flush()?;
    let codes = |absences: &[Absence]| absences.iter().map(|each| (each.number(), each.label())).collect();
    Ok(variables.iter().map(|variable| codes(&variable.absences)).collect())
}
