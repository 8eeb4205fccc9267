//! A run's table for statistics programs.

use std::fs::File;
use std::path::Path;

use export::program::Program;
use export::statistics::{MissingCodes, ProgramFile, TableDescription};
use tokio::sync::mpsc::Receiver;

use super::columns::Columns;
use crate::results::files::{Failure, Feed, read_me};
use crate::results::run::Run;

/// Writes the table of codes into `file`. `folder` holds a temporary file meanwhile.
pub(in crate::results::files) fn build(
    program: Program,
    file: &File,
    folder: &Path,
    run: &Run,
    mut inbox: Receiver<Feed>,
) -> Result<MissingCodes, Failure> {
    let columns = Columns::of(run);
    let mut table = ProgramFile::create(program, columns.described(), folder)?;
    loop {
        match inbox.blocking_recv() {
            Some(Feed::Page(page)) => {
                for interview in &page {
                    table.add(&columns.row(run, interview), &run.notice)?;
                }
            }
            Some(Feed::End) => break,
            None => return Err(Failure::GivenUp),
        }
    }
    let description = TableDescription {
        title: run.survey.title.clone(),
        time: run.files_time(),
        program_version: run.facts.program_version.clone(),
        facts: read_me::facts(run),
        has_design: run.plan.is_some(),
    };
    Ok(table.write(file, &description)?)
}
