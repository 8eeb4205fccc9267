//! The variables of a file for statistics programs.

use super::stage::{CellExtent, StagedCells};
use super::{Absence, Program, cut, names};
use crate::results::files::wide::columns::{Cell, Column, Values};
use crate::results::files::wide::table::WideTable;
use crate::results::run::Run;

pub struct FileVariable {
    /// As the program takes it.
    pub name: String,
    /// What was asked, whole, on one line.
    pub label: String,
    pub kind: VariableKind,
    pub measure: Measure,
    /// The labels of codes, without those of missing answers.
    pub codes: Vec<(i32, String)>,
    /// Why answers may be missing, as far as numbers of their own say so.
    pub absences: Vec<Absence>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    Text {
        /// Of the longest one.
        bytes: usize,
    },
    Number {
        whole: bool,
    },
    Code,
}

/// What may be reckoned with the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Nominal,
    Ordinal,
    Scale,
}

/// One for each column of the table.
pub fn of(run: &Run, table: &WideTable, stage: &StagedCells, program: Program) -> Vec<FileVariable> {
    let names = names::legal(table.header(), program);
    let columns = table.written().zip(&stage.extents);
    columns.zip(names).map(|(((column, _), extent), name)| variable(run, name, column, extent)).collect()
}

/// `None`: the column of the notice.
fn variable(run: &Run, name: String, column: Option<&Column>, extent: &CellExtent) -> FileVariable {
    let text = VariableKind::Text { bytes: extent.bytes };
    let Some(column) = column else {
        let label = "What nobody may read the answers without knowing".to_owned();
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
                let may_be = *absence == Absence::Failed || run.plan.is_some();
                may_be && column.is_answer() && kind != text && !taken
            })
            .map(|(absence, _)| absence)
            .collect(),
    }
}

impl FileVariable {
    /// The labels of codes with those of missing answers, each cut to so many bytes.
    pub fn value_labels(&self, number: impl Fn(Absence) -> i32, bytes: usize) -> Vec<(i32, &str)> {
        let codes = self.codes.iter().map(|(code, label)| (*code, cut::at(label, bytes)));
        self.absences.iter().map(|absence| (number(*absence), absence.label())).chain(codes).collect()
    }

    /// Why the cell's answer is missing, where the variable says so.
    pub fn absence(&self, cell: &Cell) -> Option<Absence> {
        Absence::of(cell).filter(|absence| self.absences.contains(absence))
    }

    /// Whether a label of a code has more than so many bytes.
    pub fn has_longer_code(&self, bytes: usize) -> bool {
        self.codes.iter().any(|(_, label)| label.len() > bytes)
    }
}
