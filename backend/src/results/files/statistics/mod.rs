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

use super::wide::columns::{Columns, Form};
use super::wide::table::Table;
use super::{Failure, Feed};
use crate::results::run::Run;
use stage::Stage;

/// Stands for an answer that failed or was refused. SPSS leaves it out of its figures; Stata has `.f` for it.
const FAILED: i32 = -88;
const FAILED_LABEL: &str = "Failed or refused";

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

/// Writes the table of codes into `file`. `folder` holds a temporary file meanwhile.
pub(super) fn build(
    program: Program,
    file: &File,
    folder: &Path,
    run: &Run,
    inbox: Receiver<Feed>,
) -> Result<(), Failure> {
    let table = Table::new(Columns::of(run), Form::Codes);
    let stage = Stage::fill(folder, &table, run, inbox)?;
    let variables = variables::of(&table, &stage, program);
    let mut out = BufWriter::new(file);
    match program {
        Program::Spss => sav::write(&mut out, run, &variables, &stage)?,
        Program::Stata => dta::write(&mut out, run, &variables, &stage)?,
    }
    Ok(out.flush()?)
}
