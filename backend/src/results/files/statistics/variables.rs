//! The variables of a file for statistics programs.

use super::stage::{Extent, Stage};
use super::{FAILED, FAILED_LABEL, Program, cut, names};
use crate::results::files::wide::columns::{Column, Values};
use crate::results::files::wide::table::Table;

pub struct Variable {
    /// As the program takes it.
    pub name: String,
    /// What was asked, whole, on one line.
    pub label: String,
    pub kind: Kind,
    pub measure: Measure,
    /// The labels of codes, without that of a failed answer.
    pub codes: Vec<(i32, String)>,
    /// Answers may have failed, and a number of its own says so.
    pub may_fail: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
pub fn of(table: &Table, stage: &Stage, program: Program) -> Vec<Variable> {
    let names = names::legal(table.header(), program);
    let columns = table.written().zip(&stage.extents);
    columns.zip(names).map(|(((column, _), extent), name)| variable(name, column, extent)).collect()
}

/// `None`: the column of the notice.
fn variable(name: String, column: Option<&Column>, extent: &Extent) -> Variable {
    let text = Kind::Text { bytes: extent.bytes };
    let Some(column) = column else {
        let label = "What nobody may read the answers without knowing".to_owned();
        return Variable { name, label, kind: text, measure: Measure::Nominal, codes: Vec::new(), may_fail: false };
    };
    let (kind, codes) = match &column.values {
        Values::Text => (text, Vec::new()),
        Values::Number => (Kind::Number { whole: extent.whole }, Vec::new()),
        Values::Coded(codes) => (Kind::Code, codes.clone()),
    };
    Variable {
        name,
        label: cut::one_line(&column.label),
        kind,
        measure: match column.kind {
            "MATRIX" | "RANK" => Measure::Ordinal,
            "SLIDER" | "RANGE" | "NUMBER" | "CONSTANT_SUM" => Measure::Scale,
            _ => Measure::Nominal,
        },
        codes: codes.into_iter().map(|(code, label)| (code, cut::one_line(&label))).collect(),
        may_fail: column.is_answer() && kind != text && !extent.has_failed_code,
    }
}

impl Variable {
    /// The labels of codes with that of a failed answer under `failed`, each cut to so many bytes.
    pub fn value_labels(&self, failed: i32, bytes: usize) -> Vec<(i32, &str)> {
        let codes = self.codes.iter().map(|(code, label)| (*code, cut::at(label, bytes)));
        let failed = Some((failed, FAILED_LABEL)).filter(|_| self.may_fail);
        failed.into_iter().chain(codes).collect()
    }

    /// Whether a label of a code has more than so many bytes.
    pub fn has_longer_code(&self, bytes: usize) -> bool {
        self.codes.iter().any(|(_, label)| label.len() > bytes)
    }

    pub const fn failed_number(&self) -> Option<i32> {
        if self.may_fail { Some(FAILED) } else { None }
    }
}
