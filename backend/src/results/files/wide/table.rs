//! A wide file as a table: its header and its rows.

use survey::question::names::QuestionNames;

use super::columns::{Cell, Column, Columns, Form};
use crate::results::pages::InterviewOutcomes;
use crate::results::run::Run;

/// A column as a file has it.
#[derive(Clone, Debug)]
struct OutputColumn {
    name: String,
    /// The place among the [`Columns`].
    place: usize,
    /// Codes are written as their labels.
    labels: bool,
}

/// The columns of a file in one form. The last one is the notice of the run.
#[derive(Clone, Debug)]
pub struct WideTable {
    columns: Columns,
    written: Vec<OutputColumn>,
}

const NOTICE: &str = "notice";

impl WideTable {
    pub fn new(columns: Columns, form: Form) -> Self {
        let mut names = QuestionNames::default();
        for column in &columns.0 {
            names.free(&column.name, "");
        }
        let mut written = Vec::new();
        for (place, column) in columns.0.iter().enumerate() {
            let labels = form == Form::Labels && column.is_worded();
            written.push(OutputColumn { name: column.name.clone(), place, labels });
            if form == Form::Both && column.is_worded() {
                written.push(OutputColumn { name: names.free(&column.name, "_label"), place, labels: true });
            }
        }
        // A question may be called `notice` too.
        written.push(OutputColumn { name: names.free(NOTICE, ""), place: usize::MAX, labels: false });
        Self { columns, written }
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    pub fn header(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(|column| column.name.as_str())
    }

    /// The column of each name of the header, and whether its codes are written as labels. `None`: the notice.
    pub fn written(&self) -> impl Iterator<Item = (Option<&Column>, bool)> {
        self.written.iter().map(|written| (self.columns.0.get(written.place), written.labels))
    }

    /// A twin's cells, one for each name of the header.
    pub fn row(&self, run: &Run, interview: &InterviewOutcomes) -> impl Iterator<Item = Cell> {
        let row = self.columns.row(run, interview);
        self.written.iter().map(move |written| match (self.columns.0.get(written.place), row.get(written.place)) {
            (Some(column), Some(Cell::Code(code))) if written.labels => worded(column, *code),
            (_, Some(cell)) => cell.clone(),
            _ => Cell::Text(run.notice.clone()),
        })
    }
}

fn worded(column: &Column, code: i32) -> Cell {
    column.label_of(code).map_or(Cell::Missing, |label| Cell::Text(label.to_owned()))
}
