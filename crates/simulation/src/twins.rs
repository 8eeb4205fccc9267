//! Collects the answers of a run's twins for the statistics.

use std::sync::Arc;

use evidence::compare::{self, ItemKind};
use evidence::options::ComparisonOptions;
use evidence::upload::{self, Mapping, Reading, ReservedColumns, Table};
use export::table::{Cell, Column};
use survey::item::Item;

use crate::columns::{Columns, RunColumn};
use crate::items::questions;
use crate::outcomes::InterviewOutcomes;
use crate::run::Run;

/// Collects the answers of twins page by page, with the chosen columns: their arm, weight and attributes. Leaves out a
/// twin without an id of the dataset, as from a file.
pub struct TwinAnswers {
    columns: Columns,
    items: Vec<CollectedItem>,
    reserved: ReservedColumns,
    /// Positions of the columns to keep: the chosen ones and the twins' ids.
    kept: Vec<usize>,
    table: Table,
}

/// An item with the positions of its columns: one, or one for each option if several can be chosen.
struct CollectedItem {
    item: compare::Item,
    places: Vec<usize>,
    answers: compare::Column,
}

/// Returns the columns of the twins that a comparison needs.
pub fn twin_columns(run: &Run, options: &ComparisonOptions) -> ReservedColumns {
    let of_run = Columns::of(run);
    let has = |name: &str| of_run.0.iter().any(|of| of.column.name == name && of.question().is_none());
    options.twin_columns(arm_node(run, options.arm.as_deref()), has)
}

/// Returns the random node with the twins' arms: the one with the name of people's column, or the only one.
pub fn arm_node(run: &Run, arm: Option<&str>) -> Option<String> {
    let nodes = run.plan.as_ref().map(|plan| plan.random_nodes()).unwrap_or_default();
    let node = nodes.iter().find(|(name, _)| arm == Some(*name));
    let node = node.or(nodes.first().filter(|_| nodes.len() == 1));
    arm.and(node).map(|(name, _)| (*name).to_owned())
}

impl TwinAnswers {
    pub fn new(run: &Run, reserved: &ReservedColumns) -> Self {
        let mut answers = Self::without_answers(run, reserved);
        for (place, question) in run.questions.iter().enumerate() {
            let columns = answers.columns.0.iter().enumerate();
            let places: Vec<usize> =
                columns.filter(|(_, column)| column.question() == Some(place)).map(|(at, _)| at).collect();
            let items = upload::items(&questions(&[Item::from(question.clone())]));
            match items.as_slice() {
                [item] if matches!(item.kind, ItemKind::Multiple { .. }) => {
                    answers.items.push(CollectedItem::new(item.clone(), places));
                }
                _ => answers
                    .items
                    .extend(items.into_iter().zip(places).map(|(item, place)| CollectedItem::new(item, vec![place]))),
            }
        }
        // Questions of the oldest runs have no names, by which items are identified.
        answers.items.retain(|collected| !collected.item.name.is_empty());
        answers
    }

    /// Collects the chosen columns alone.
    pub fn without_answers(run: &Run, reserved: &ReservedColumns) -> Self {
        let columns = Columns::of(run);
        let named = [&reserved.weight, &reserved.probability, &reserved.arm].into_iter().flatten();
        let named: Vec<&String> = named.chain(&reserved.attributes).collect();
        let is_kept = |of: &RunColumn| of.is_person_id() || named.contains(&&of.column.name);
        let kept: Vec<usize> =
            columns.0.iter().enumerate().filter(|(_, column)| is_kept(column)).map(|(place, _)| place).collect();
        let names = kept.iter().map(|place| columns.0[*place].column.name.clone()).collect();
        let table = Table { names, ..Table::default() };
        Self { columns, items: Vec::new(), reserved: reserved.clone(), kept, table }
    }

    /// Adds the next interviews.
    pub fn add(&mut self, run: &Run, page: &[InterviewOutcomes]) {
        for interview in page.iter().filter(|interview| !interview.persona.pid.trim().is_empty()) {
            let row = self.columns.row(run, interview);
            let text = |place: &usize| text(&self.columns.0[*place].column, &row[*place]);
            self.table.rows.push(self.kept.iter().map(text).collect());
            for of in &mut self.items {
                of.add(&self.columns, &row);
            }
        }
    }

    /// Returns what was collected since the last call.
    pub fn take(&mut self) -> Reading {
        let mut reading = upload::respondents(&[], &self.table, &Mapping::default(), &self.reserved);
        self.table.rows.clear();
        for of in &mut self.items {
            let none = CollectedItem::nothing(&of.item);
            reading.respondents.answers.insert(of.item.name.clone(), std::mem::replace(&mut of.answers, none));
        }
        reading
    }
}

impl CollectedItem {
    fn new(item: compare::Item, places: Vec<usize>) -> Self {
        Self { answers: Self::nothing(&item), item, places }
    }

    fn nothing(item: &compare::Item) -> compare::Column {
        match item.kind {
            ItemKind::Single { .. } => compare::Column::Numbers(Vec::new()),
            ItemKind::Multiple { .. } => compare::Column::Selections(Vec::new()),
        }
    }

    fn add(&mut self, columns: &Columns, row: &[Cell]) {
        match &mut self.answers {
            compare::Column::Numbers(values) => {
                let value =
                    self.places.first().and_then(|place| value(&self.item, &columns.0[*place].column, &row[*place]));
                values.push(value);
            }
            compare::Column::Selections(values) => {
                let chosen = |place: &usize| match &row[*place] {
                    Cell::Code(code) => Some(*code == 1),
                    _ => None,
                };
                values.push(self.places.iter().map(chosen).collect());
            }
        }
    }
}

/// Returns the number, or the 1-based position of the option. `None` if there is no answer.
fn value(item: &compare::Item, column: &Column, cell: &Cell) -> Option<f64> {
    let ItemKind::Single { scale, labels } = &item.kind else { return None };
    let value = match cell {
        Cell::Number(number) => *number,
        Cell::Code(code) => {
            let label = column.label_of(*code)?;
            // A label of a survey with a design may be written differently in files.
            let place = labels.iter().position(|known| known == label).or_else(|| column.place_of(*code))?;
            place as f64 + 1.0
        }
        Cell::Missing | Cell::Skipped | Cell::Failed | Cell::Text(_) => return None,
    };
    scale.holds(value).then_some(value)
}

/// Returns the cell as a file with labels has it.
fn text(column: &Column, cell: &Cell) -> Arc<str> {
    match cell {
        Cell::Missing | Cell::Skipped | Cell::Failed => "".into(),
        Cell::Text(text) => text.trim().into(),
        Cell::Number(number) => number.to_string().into(),
        Cell::Code(code) => {
            let label = column.label_of(*code).filter(|_| column.is_worded());
            label.map_or_else(|| code.to_string(), |label| label.trim().to_owned()).into()
        }
    }
}
