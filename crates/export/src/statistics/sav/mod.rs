//! SPSS system files, after PSPP's description of the format: little-endian, UTF-8, cases compressed by bytecode.

mod cases;
mod dictionary;
mod limits;

use std::io::Write;

use super::description::TableDescription;
use super::notes;
use super::stage::StagedCells;
use super::variables::{FileVariable, VariableKind};
use crate::Result;
use limits::{MAX_TEXT, MAX_VALUE_LABEL, MAX_VARIABLE_LABEL};

pub fn write(
    out: &mut impl Write,
    about: &TableDescription,
    variables: &[FileVariable],
    stage: &StagedCells,
) -> Result<()> {
    let long = |variable: &FileVariable| matches!(variable.kind, VariableKind::Text { bytes } if bytes > MAX_TEXT);
    let cuts = [
        notes::cut_in(variables, "Texts", MAX_TEXT, long, "wide.csv"),
        notes::cut_in(
            variables,
            "Labels",
            MAX_VARIABLE_LABEL,
            |each| each.label.len() > MAX_VARIABLE_LABEL,
            "codebook.csv",
        ),
        notes::cut_in(
            variables,
            "Labels of codes",
            MAX_VALUE_LABEL,
            |each| each.has_longer_code(MAX_VALUE_LABEL),
            "codebook.csv",
        ),
    ];
    let notes = notes::collect(about, |absence| absence.number().to_string(), cuts.into_iter().flatten());
    out.write_all(&dictionary::write(about, variables, &notes, stage.rows)?)?;
    let mut cases = cases::Cases::new(out);
    for row in stage.rows()? {
        for (variable, cell) in variables.iter().zip(row?) {
            cases.cell(variable, &cell)?;
        }
    }
    Ok(cases.end()?)
}
