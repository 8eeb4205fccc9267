//! Tables for statistics programs, with the labels of variables and codes: `.sav` for SPSS, `.dta` for Stata.
//!
//! Both formats begin with what is known only after the last row (how many rows, how long the texts), so the rows go to
//! a temporary file first. The same rows and the same description give the same bytes.

mod cut;
mod description;
mod dta;
mod notes;
mod sav;
mod stage;
mod variables;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::Result;
use crate::program::Program;
use crate::table::{Cell, Column, Form, WideTable};
use description::Absence;
pub use description::TableDescription;
use stage::CellStage;

/// Numbers of missing answers in SPSS with their labels, for each column of the table. A column that does not say why an answer
/// is missing has none.
pub type MissingCodes = Vec<Vec<(i32, &'static str)>>;

/// A file for a statistics program whose rows are being collected.
pub struct ProgramFile {
    program: Program,
    table: WideTable,
    stage: CellStage,
}

impl ProgramFile {
    /// `folder` holds a temporary file meanwhile.
    pub fn create(program: Program, columns: Vec<Column>, folder: &Path) -> Result<Self> {
        let table = WideTable::new(columns, Form::Codes);
        let stage = CellStage::create(folder, table.header().count())?;
        Ok(Self { program, table, stage })
    }

    /// Adds a row, which has a cell for each column.
    pub fn add(&mut self, row: &[Cell], notice: &str) -> Result<()> {
        Ok(self.stage.add(self.table.row(row, notice))?)
    }

    /// Writes the rows into `file`.
    pub fn write(self, file: &File, description: &TableDescription) -> Result<MissingCodes> {
        let Self { program, table, stage } = self;
        let stage = stage.finish()?;
        let variables = variables::describe(description, &table, &stage, program);
        let mut out = BufWriter::new(file);
        match program {
            Program::Spss => sav::write(&mut out, description, &variables, &stage)?,
            Program::Stata => dta::write(&mut out, description, &variables, &stage)?,
        }
        out.flush()?;
        let codes = |absences: &[Absence]| absences.iter().map(|each| (each.number(), each.label())).collect();
        Ok(variables.iter().map(|variable| codes(&variable.absences)).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use chrono::DateTime;
    use evidence::upload;

    use super::*;
    use crate::table::Values;

    #[test]
    fn what_each_program_gets_is_read_back_with_labels_and_without_missing_answers() {
        let column = |name: &str, label: &str, kind, values| Column {
            name: name.to_owned(),
            label: label.to_owned(),
            kind,
            values,
            is_indicator: false,
        };
        let columns = vec![
            column("personaId", "Twin", Column::ID, Values::Number),
            column("by", "What do you drink?", "SINGLE_CHOICE", Values::Coded(vec![(1, "Tea".to_owned())])),
            column("why", "Why?", "OPEN_ENDED", Values::Text),
        ];
        let description = TableDescription {
            title: "Drinks".to_owned(),
            time: DateTime::UNIX_EPOCH,
            program_version: "1.0.0".to_owned(),
            facts: vec![("Survey", "Drinks".to_owned())],
            has_design: false,
        };
        let folder = tempfile::tempdir().expect("a folder");
        for program in [Program::Spss, Program::Stata] {
            let mut table = ProgramFile::create(program, columns.clone(), folder.path()).expect("a file");
            let text = "long ".repeat(1_000);
            for row in [
                [Cell::Number(1.0), Cell::Code(1), Cell::Text(text.clone())],
                [Cell::Number(2.0), Cell::Failed, Cell::Missing],
            ] {
                table.add(&row, "a notice").expect("a row");
            }
            let mut file = tempfile::tempfile().expect("a file");
            let missing = table.write(&file, &description).expect("it is written");
            assert_eq!(missing, [vec![], vec![(-88, "Failed or refused")], vec![], vec![]]);
            file.rewind().expect("its beginning");
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).expect("its bytes");
            let read = upload::parse(&bytes, |_| false).expect("a table");
            assert_eq!(read.names, ["personaId", "by_", "why", "notice"], "{program:?}");
            assert_eq!(read.labels[1], "What do you drink?");
            let rows: Vec<Vec<&str>> =
                read.rows.iter().map(|row| row.iter().map(|cell| cell.trim_end()).collect()).collect();
            assert_eq!(rows, [["1", "1", text.trim_end(), "a notice"], ["2", "", "", "a notice"]], "{program:?}");
        }
    }
}
