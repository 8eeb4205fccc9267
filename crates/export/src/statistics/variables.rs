//! The variables of a file for statistics programs.

use super::cut;
use super::description::{Absence, TableDescription};
use super::stage::{CellExtent, StagedCells};
use crate::program::{Program, legal_names};
use crate::table::{Cell, Column, NOTICE_LABEL, Values, WideTable};

/// A column as the program has it.
pub struct FileVariable {
    /// A name that the program takes.
    pub name: String,
    /// Whole text of the question, on one line.
    pub label: String,
    pub kind: VariableKind,
    pub measure: Measure,
    /// Codes with their labels, without those of missing answers.
    pub codes: Vec<(i32, String)>,
    /// Reasons for missing answers that have numbers of their own.
    pub absences: Vec<Absence>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    Text {
        /// Size of the longest one.
        bytes: usize,
    },
    Number {
        whole: bool,
    },
    Code,
}

/// Level of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Nominal,
    Ordinal,
    Scale,
}

/// Describes each column of the table.
pub fn describe(
    about: &TableDescription,
    table: &WideTable,
    stage: &StagedCells,
    program: Program,
) -> Vec<FileVariable> {
    let names = legal_names(table.header(), program);
    let columns = table.written().zip(&stage.extents);
    columns.zip(names).map(|(((column, _), extent), name)| variable(about, name, column, extent)).collect()
}

/// `None`: the column of the notice.
fn variable(about: &TableDescription, name: String, column: Option<&Column>, extent: &CellExtent) -> FileVariable {
    let text = VariableKind::Text { bytes: extent.bytes };
    let Some(column) = column else {
        let label = NOTICE_LABEL.to_owned();
        return FileVariable {
            name,
            label,
            kind: text,
            measure: Measure::Nominal,
            codes: Vec::new(),
            absences: Vec::new(),
        };
    };
    let (kind, codes) = match &column.values {
        Values::Text => (text, Vec::new()),
        Values::Number => (VariableKind::Number { whole: extent.whole }, Vec::new()),
        Values::Coded(codes) => (VariableKind::Code, codes.clone()),
    };
    FileVariable {
        name,
        label: cut::one_line(&column.label),
        kind,
        measure: match column.kind {
            "MATRIX" | "RANK" => Measure::Ordinal,
            "SLIDER" | "RANGE" | "NUMBER" | "CONSTANT_SUM" => Measure::Scale,
            _ => Measure::Nominal,
        },
        codes: codes.into_iter().map(|(code, label)| (code, cut::one_line(&label))).collect(),
        absences: Absence::ALL
            .into_iter()
            .zip(extent.taken)
            .filter(|(absence, taken)| {
                let may_be = *absence == Absence::Failed || about.has_design;
                may_be && column.is_answer() && kind != text && !taken
            })
            .map(|(absence, _)| absence)
            .collect(),
    }
}

impl FileVariable {
    /// Returns the codes with their labels and those of missing answers, each label cut to so many bytes.
    pub fn value_labels(&self, number: impl Fn(Absence) -> i32, bytes: usize) -> Vec<(i32, &str)> {
        let codes = self.codes.iter().map(|(code, label)| (*code, cut::at(label, bytes)));
        self.absences.iter().map(|absence| (number(*absence), absence.label())).chain(codes).collect()
    }

    /// Returns why the cell's answer is missing, where the variable says so.
    pub fn absence(&self, cell: &Cell) -> Option<Absence> {
        Absence::of(cell).filter(|absence| self.absences.contains(absence))
    }

    /// Whether a label of a code has more than so many bytes.
    pub fn has_longer_code(&self, bytes: usize) -> bool {
        self.codes.iter().any(|(_, label)| label.len() > bytes)
    }
}
