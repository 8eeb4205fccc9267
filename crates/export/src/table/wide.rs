//! A table in the form that a file has.

use survey::question::names::QuestionNames;

use super::{Cell, Column, Form};

/// A column as a file has it.
#[derive(Clone, Debug)]
struct OutputColumn {
    name: String,
    /// Place among the columns of the table.
    place: usize,
    /// Whether codes are written as their labels.
    labels: bool,
}

/// The columns of a file in one form. The last one is the notice.
#[derive(Clone, Debug)]
pub struct WideTable {
    columns: Vec<Column>,
    written: Vec<OutputColumn>,
}

const NOTICE: &str = "notice";

impl WideTable {
    pub fn new(columns: Vec<Column>, form: Form) -> Self {
        let mut names = QuestionNames::default();
        for column in &columns {
            names.free(&column.name, "");
        }
        let mut written = Vec::new();
        for (place, column) in columns.iter().enumerate() {
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

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn header(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(|column| column.name.as_str())
    }

    /// Returns for each name of the header its column, and whether its codes are written as labels. `None`: the notice.
    pub fn written(&self) -> impl Iterator<Item = (Option<&Column>, bool)> {
        self.written.iter().map(|written| (self.columns.get(written.place), written.labels))
    }

    /// Returns the cells of a file, one for each name of the header. `row` has one for each column of the table.
    pub fn row(&self, row: &[Cell], notice: &str) -> impl Iterator<Item = Cell> {
        self.written.iter().map(move |written| match (self.columns.get(written.place), row.get(written.place)) {
            (Some(column), Some(Cell::Code(code))) if written.labels => worded(column, *code),
            (_, Some(cell)) => cell.clone(),
            _ => Cell::Text(notice.to_owned()),
        })
    }
}

fn worded(column: &Column, code: i32) -> Cell {
    column.label_of(code).map_or(Cell::Missing, |label| Cell::Text(label.to_owned()))
}
