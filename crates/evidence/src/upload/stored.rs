//! The stored form of a file: the columns that are needed, each with its different texts once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cells::Rows;
use super::columns::{Dropped, Mapping, NO_NAME, PERSON, PERSONAL_DATA, not_an_answer};
use super::options::{Cell, Labels, Options};
use super::questions::{Question, QuestionKind};
use super::read::ReservedColumns;
use super::table::{Table, Unreadable, UserMissing, ValueLabels};
use crate::metrics::Scale;

/// Maximum number of different cells of a column that are tried as answers.
const MAX_TRIED_CELLS: usize = 30;
/// Maximum number of columns without a question that are tried as answers.
const MAX_TRIED_COLUMNS: usize = 2_000;
/// Maximum number of different cells of a column whose words may differ from the question's.
const MAX_CLOSED_CELLS: usize = 20;
/// Minimum number of rows for each different cell of such a column, on average.
const MIN_ROWS_PER_CELL: usize = 5;
const NO_ANSWER: &str = "no answer to a question of the survey, and not chosen";

/// Returns the positions of the columns to keep: those of questions, those that were chosen, the id, and those that
/// could answer a question, in its words or in a few others that many rows share, so that the matching can still be
/// changed. Also returns the other columns with the reason.
pub fn kept_columns(
    questions: &[Question],
    table: &Table,
    mapping: &Mapping,
    reserved: &ReservedColumns,
) -> (Vec<usize>, Vec<Dropped>) {
    let matched: BTreeSet<usize> = mapping.matches.iter().flat_map(|found| found.columns.iter().copied()).collect();
    let chosen: BTreeSet<&str> = [&reserved.id, &reserved.weight, &reserved.probability, &reserved.arm]
        .into_iter()
        .flatten()
        .chain(&reserved.attributes)
        .map(String::as_str)
        .collect();
    let kinds = kinds(questions);
    let (mut kept, mut dropped, mut tried) = (Vec::new(), Vec::new(), 0);
    for (place, name) in table.names.iter().enumerate() {
        let reason = not_an_answer(table, place);
        let is_wanted = matched.contains(&place) || chosen.contains(name.as_str()) || reason == Some(PERSON);
        let reason = match reason {
            Some(NO_NAME | PERSONAL_DATA) => reason,
            _ if holds_addresses(table, place) => Some(PERSONAL_DATA),
            _ if is_wanted => None,
            Some(_) => reason,
            None => {
                tried += 1;
                let is_answer =
                    tried <= MAX_TRIED_COLUMNS && (is_closed(table, place) || could_answer(&kinds, table, place));
                (!is_answer).then_some(NO_ANSWER)
            }
        };
        match reason {
            Some(reason) => dropped.push(Dropped { column: name.clone(), reason: reason.into() }),
            None => kept.push(place),
        }
    }
    (kept, dropped)
}

/// Returns each kind of question once, with its options.
fn kinds(questions: &[Question]) -> Vec<(&QuestionKind, Labels<'_>)> {
    let mut kinds: Vec<(&QuestionKind, Labels)> = Vec::new();
    for question in questions {
        if !kinds.iter().any(|(kind, _)| **kind == question.kind) {
            kinds.push((&question.kind, Labels::new(question.choices())));
        }
    }
    kinds
}

/// Whether the column has few different words that many rows share.
fn is_closed(table: &Table, place: usize) -> bool {
    let (mut cells, mut rows) = (BTreeSet::new(), 0);
    for row in table.rows.iter().filter(|row| !row[place].is_empty()) {
        rows += 1;
        cells.insert(&*row[place]);
        if cells.len() > MAX_CLOSED_CELLS {
            return false;
        }
    }
    rows > 0 && cells.len() * MIN_ROWS_PER_CELL <= rows
}

/// Whether half of its first different cells are answers to one of these questions. For numbers, all must be.
fn could_answer(kinds: &[(&QuestionKind, Labels)], table: &Table, place: usize) -> bool {
    let mut cells: BTreeSet<&str> = BTreeSet::new();
    for row in &table.rows {
        let cell = &*row[place];
        if !cell.is_empty() && cells.insert(cell) && cells.len() == MAX_TRIED_CELLS {
            break;
        }
    }
    let half = cells.len().div_ceil(2);
    let cells: Vec<(&str, Cell)> = cells.into_iter().map(|cell| (cell, Cell::new(cell))).collect();
    !cells.is_empty()
        && kinds.iter().any(|(kind, labels)| {
            let options = || Options::new(labels, table.value_labels.get(place));
            match kind {
                QuestionKind::Single { .. } | QuestionKind::Matrix { .. } => {
                    let options = options();
                    cells.iter().filter(|(_, cell)| options.position(cell).is_some()).count() >= half
                }
                // A column of one option has 0 and 1, or the option's label.
                QuestionKind::Multiple { .. } => {
                    let options = options();
                    let is_chosen = |cell: &str| ["0", "1"].contains(&cell) || options.chosen_in(cell).is_some();
                    cells.iter().filter(|(cell, _)| is_chosen(cell)).count() >= half
                }
                QuestionKind::Number { scale } => cells.iter().all(|(cell, _)| is_number(*scale, cell)),
            }
        })
}

fn is_number(scale: Scale, cell: &str) -> bool {
    cell.parse().is_ok_and(|number: f64| number.is_finite() && scale.holds(number))
}

/// Whether a cell looks like an e-mail address.
fn holds_addresses(table: &Table, place: usize) -> bool {
    let is_address = |cell: &str| {
        let parts = cell.split_once('@').filter(|_| !cell.contains(char::is_whitespace));
        parts.is_some_and(|(name, host)| {
            let is_host = host.split('.').count() >= 2 && host.split('.').all(|part| !part.is_empty());
            !name.is_empty() && is_host && !host.contains('@')
        })
    };
    table.rows.iter().any(|row| is_address(&row[place]))
}

#[derive(Serialize, Deserialize)]
struct StoredColumn {
    name: String,
    label: String,
    import_id: String,
    value_labels: BTreeMap<String, String>,
    /// The range as texts, because JSON has no infinite numbers.
    missing_range: Option<(String, String)>,
    missing_values: Vec<String>,
    /// The different cells in the order of their first row.
    texts: Vec<String>,
    /// The position of each row's text.
    cells: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct StoredTable {
    columns: Vec<StoredColumn>,
}

impl Table {
    /// Writes these columns alone as JSON. Leaves out rows in which they are all empty.
    pub fn to_json(&self, places: &[usize]) -> serde_json::Result<Vec<u8>> {
        let says_something = |row: &&Vec<Arc<str>>| places.iter().any(|place| !row[*place].is_empty());
        let rows: Vec<&Vec<Arc<str>>> = self.rows.iter().filter(says_something).collect();
        let of = |cells: &[String], place: usize| cells.get(place).cloned().unwrap_or_default();
        let column = |place: &usize| {
            let (mut texts, mut known) = (Vec::new(), HashMap::new());
            let mut cell = |row: &&Vec<Arc<str>>| {
                let text = &row[*place];
                *known.entry(Arc::clone(text)).or_insert_with(|| {
                    texts.push(text.to_string());
                    texts.len() as u32 - 1
                })
            };
            let cells = rows.iter().map(&mut cell).collect();
            let labels = self.value_labels.get(*place).cloned().unwrap_or_default();
            StoredColumn {
                name: self.names[*place].clone(),
                label: of(&self.labels, *place),
                import_id: of(&self.import_ids, *place),
                value_labels: (*labels.labels).clone(),
                missing_range: labels.missing.range.map(|(low, high)| (low.to_string(), high.to_string())),
                missing_values: labels.missing.values,
                texts,
                cells,
            }
        };
        serde_json::to_vec(&StoredTable { columns: places.iter().map(column).collect() })
    }

    /// Reads a table that [`Self::to_json`] wrote.
    pub fn from_json(json: &[u8]) -> Result<Self, Unreadable> {
        let StoredTable { columns } =
            serde_json::from_slice(json).map_err(|error| Unreadable::damaged(error.to_string()))?;
        let mut table = Self::default();
        let count = columns.first().map_or(0, |column| column.cells.len());
        let mut rows = Rows::default();
        for row in 0..count {
            let cell = |column: &StoredColumn| {
                let text = column.cells.get(row).and_then(|place| column.texts.get(*place as usize));
                text.cloned().ok_or_else(|| Unreadable::damaged(format!("{} has too few cells", column.name)))
            };
            rows.push(columns.len(), columns.iter().map(cell))?;
        }
        table.rows = rows.into_rows();
        for column in columns {
            table.names.push(column.name);
            table.labels.push(column.label);
            table.import_ids.push(column.import_id);
            let range = column.missing_range.and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
            table.value_labels.push(ValueLabels {
                labels: Arc::new(column.value_labels),
                missing: UserMissing { range, values: column.missing_values },
            });
        }
        Ok(table)
    }
}
