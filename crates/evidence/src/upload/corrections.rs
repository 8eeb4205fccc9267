use std::collections::{BTreeMap, HashMap};

use super::columns::{NO_NAME, PERSON, PERSONAL_DATA, not_an_answer};
use super::options::{Cell, Labels, Options};
use super::questions::{Question, QuestionKind, ScoredAs};
use super::table::Table;
use crate::compare::{Item, ItemKind};

/// The meaning that somebody gave to a cell. Options are numbered from 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Recoded {
    Missing,
    Value(f64),
    Selection(Vec<bool>),
}

impl Recoded {
    pub(super) fn value(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Missing | Self::Selection(_) => None,
        }
    }

    pub(super) fn selection(&self) -> Option<Vec<bool>> {
        match self {
            Self::Selection(chosen) => Some(chosen.clone()),
            Self::Missing | Self::Value(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}.{item}: {reason}")]
pub struct CorrectionRefused {
    /// The field with the error: `matching` or `recodes`.
    pub field: &'static str,
    pub item: String,
    pub reason: String,
}

/// Positions of each item's columns in a table. Empty if the item has no column.
pub(super) type Places = BTreeMap<String, Vec<usize>>;

/// Finds the columns of each item. Refuses questions and columns that do not exist, and a column that is chosen twice.
pub(super) fn places(
    matching: &BTreeMap<String, Vec<String>>,
    questions: &[Question],
    table: &Table,
) -> Result<Places, CorrectionRefused> {
    let items = by_item(questions);
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, name) in table.names.iter().enumerate() {
        named.entry(name).or_default().push(place);
    }
    let mut taken: BTreeMap<usize, &str> = BTreeMap::new();
    let mut places = Places::new();
    for (name, columns) in matching {
        let refused = |reason: String| CorrectionRefused { field: "matching", item: name.clone(), reason };
        let Some((item, _)) = items.get(name.as_str()) else { return Err(refused(no_question())) };
        let options = match &item.kind {
            ItemKind::Multiple { labels } => labels.len(),
            ItemKind::Single { .. } => 1,
        };
        if columns.len() > 1 && columns.len() != options {
            return Err(refused(match options {
                1 => "it takes one column".to_owned(),
                _ => format!("it takes one column, or one for each of its {options} options"),
            }));
        }
        let found = places.entry(name.clone()).or_default();
        for column in columns {
            let named = named.get(column.as_str()).map_or(&[][..], Vec::as_slice);
            let place = place(table, column, named).map_err(refused)?;
            if let Some(other) = taken.insert(place, name) {
                return Err(refused(format!("the column {column} is taken by {other} already")));
            }
            found.push(place);
        }
    }
    Ok(places)
}

/// Reads the meanings of the cells of each item. Refuses unknown items, and meanings that are no answer to them.
pub(super) fn recoded(
    recodes: &BTreeMap<String, BTreeMap<String, Option<String>>>,
    questions: &[Question],
) -> Result<BTreeMap<String, BTreeMap<String, Recoded>>, CorrectionRefused> {
    let items = by_item(questions);
    let mut labels: HashMap<&str, Labels> = HashMap::new();
    let mut recoded = BTreeMap::new();
    for (name, cells) in recodes {
        let refused = |reason: String| CorrectionRefused { field: "recodes", item: name.clone(), reason };
        let Some((item, question)) = items.get(name.as_str()) else { return Err(refused(no_question())) };
        let labels = labels.entry(&question.name).or_insert_with(|| Labels::new(question.choices()));
        let mut of_item = BTreeMap::new();
        for (cell, answer) in cells {
            let answer = match answer {
                Some(answer) => read(item, labels, answer).map_err(refused)?,
                None => Recoded::Missing,
            };
            of_item.insert(cell.clone(), answer);
        }
        recoded.insert(name.clone(), of_item);
    }
    Ok(recoded)
}

/// Scores questions as somebody chose. Refuses questions that the survey does not have, or that have no single choice.
pub fn score_as(questions: &mut [Question], scales: &BTreeMap<String, ScoredAs>) -> Result<(), CorrectionRefused> {
    for (name, scale) in scales {
        let refused =
            |reason: &str| CorrectionRefused { field: "scales", item: name.clone(), reason: reason.to_owned() };
        let question = questions.iter_mut().find(|question| question.name == *name);
        let question = question.ok_or_else(|| refused("the survey has no such question to compare"))?;
        match &mut question.kind {
            QuestionKind::Single { is_ordered, .. } | QuestionKind::Matrix { is_ordered, .. } => {
                *is_ordered = *scale != ScoredAs::Nominal;
            }
            QuestionKind::Multiple { .. } => {
                return Err(refused("several of its options can be chosen: it has shares"));
            }
            QuestionKind::Number { .. } => return Err(refused("its answers are numbers already")),
        }
    }
    Ok(())
}

/// Returns the columns that can be chosen, in the table's order. Leaves out names that several columns share.
pub(super) fn choosable(table: &Table) -> Vec<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &table.names {
        *times.entry(name).or_default() += 1;
    }
    let is_choosable =
        |(place, name): &(usize, &String)| times[name.as_str()] == 1 && refused_column(table, *place).is_none();
    table.names.iter().enumerate().filter(is_choosable).map(|(_, name)| name.clone()).collect()
}

fn by_item(questions: &[Question]) -> BTreeMap<String, (Item, &Question)> {
    let items = questions.iter().flat_map(|question| question.items().into_iter().map(move |item| (item, question)));
    items.map(|(item, question)| (item.name.clone(), (item, question))).collect()
}

fn no_question() -> String {
    "the survey has no such question to compare".to_owned()
}

/// Returns the position of a column, given the positions of all columns with its name.
fn place(table: &Table, column: &str, named: &[usize]) -> Result<usize, String> {
    let place = match named {
        [] => return Err(format!("there is no column {column}")),
        [place] => *place,
        _ => return Err(format!("several columns are called {column}")),
    };
    match refused_column(table, place) {
        Some(reason) => Err(format!("the column {column} cannot be taken: {reason}")),
        None => Ok(place),
    }
}

/// Returns why a column can never be chosen.
fn refused_column(table: &Table, place: usize) -> Option<&'static str> {
    not_an_answer(table, place).filter(|reason| [NO_NAME, PERSONAL_DATA, PERSON].contains(reason))
}

fn read(item: &Item, labels: &Labels, answer: &str) -> Result<Recoded, String> {
    let options = Options::new(labels, None);
    let no_option = || format!("there is no option {answer}");
    match &item.kind {
        ItemKind::Single { scale, .. } if labels.is_empty() => {
            let number = answer.parse().ok().filter(|number: &f64| number.is_finite() && scale.holds(*number));
            number.map(Recoded::Value).ok_or_else(|| format!("{answer} is no number that the question takes"))
        }
        ItemKind::Single { .. } => {
            options.position(&Cell::new(answer)).map(|place| Recoded::Value(place as f64 + 1.0)).ok_or_else(no_option)
        }
        ItemKind::Multiple { .. } => options.chosen_in(answer).map(Recoded::Selection).ok_or_else(no_option),
    }
}
