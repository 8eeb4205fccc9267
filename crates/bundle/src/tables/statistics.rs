//! A run's table for statistics programs.

use std::fs::File;
use std::path::Path;

use export::program::Program;
use export::statistics::{MissingCodes, ProgramFile, TableDescription};
use simulation::columns::Columns;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;

use super::read_me;

/// Writes the table of codes into `file`. `folder` holds a temporary file meanwhile. Fails if reading the pages fails.
pub fn build<E: From<export::Error>>(
    program: Program,
    file: &File,
    folder: &Path,
    run: &Run,
    pages: impl Iterator<Item = Result<Vec<InterviewOutcomes>, E>>,
) -> Result<MissingCodes, E> {
    let columns = Columns::of(run);
    let mut table = ProgramFile::create(program, columns.described(), folder)?;
    for page in pages {
        for interview in &page? {
            table.add(&columns.row(run, interview), &run.notice)?;
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
