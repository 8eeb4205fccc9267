//! The twins that the lists of a run show, and their order: those that a search finds, sorted by a column.

use std::cmp::Ordering;
use std::collections::HashMap;

use diesel_async::AsyncPgConnection;
use serde::Deserialize;
use simulation::run::Run;
use survey::answer::AnswerShape;
use survey::question::Question;
use utoipa::ToSchema;

use crate::error::Result;
use crate::models::simulation_personas;
use crate::models::twin_search::{self, ColumnText};

/// Longest part of a refused column that an error repeats, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// A column of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// The twins' names.
    Persona,
    /// The answers to a question, by its id.
    Question(i64),
    /// The answers in a row of a matrix, by the question's id and the row's position from 0.
    Row(i64, usize),
}

/// Direction of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    #[default]
    Asc,
    Desc,
}

/// A search over twins and their order. The default finds all twins, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TwinOrder {
    /// Words that a twin must have, each of them.
    pub words: Vec<String>,
    pub sort: Option<(Column, Direction)>,
}

impl Column {
    /// Reads `persona`, `question:31` or `question:32:row:2`. Errors name the wrong part.
    pub fn parse(text: &str, questions: &[Question]) -> Result<Self, String> {
        if text == "persona" {
            return Ok(Self::Persona);
        }
        let shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
        let unknown = || format!("{shown:?} is no column, which are persona, question:ID and question:ID:row:NUMBER");
        let rest = text.strip_prefix("question:").ok_or_else(unknown)?;
        let (id, row) = rest.split_once(":row:").map_or((rest, None), |(id, row)| (id, Some(row)));
        let id = id.parse().map_err(|_| unknown())?;
        let question = questions.iter().find(|question| question.id == id);
        let question = question.ok_or_else(|| format!("the run has no question {id}"))?;
        let Some(row) = row else { return Ok(Self::Question(id)) };
        let row: usize = row.parse().map_err(|_| unknown())?;
        match row.checked_sub(1).filter(|place| *place < question.sub_questions.len()) {
            Some(place) => Ok(Self::Row(id, place)),
            None => Err(format!("question {id} has no row {row}")),
        }
    }
}

impl TwinOrder {
    /// Returns the ids of the run's twins that the search finds, in order, or `None` for all of them by id. If `only` is
    /// given, searches these alone.
    pub async fn twins(
        &self,
        conn: &mut AsyncPgConnection,
        run: &Run,
        only: Option<Vec<i32>>,
    ) -> Result<Option<Vec<i32>>> {
        let id = run.facts.id;
        let found = match &self.words[..] {
            [] => only,
            words => Some(twin_search::personas_with(conn, id, words, only.as_deref()).await?),
        };
        let Some((column, direction)) = &self.sort else { return Ok(found) };
        let found = match found {
            Some(found) => found,
            None => simulation_personas::ids(conn, id).await?,
        };
        Ok(Some(sorted(found, &keys(conn, run, column).await?, *direction)))
    }
}

/// The sort key of an answer: the size of a number, the position of a choice among the options, or a text.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Number(f64),
    Place(usize),
    /// A text in small letters.
    Text(String),
}

impl Key {
    fn of(question: &Question, text: String) -> Self {
        match question.shape() {
            Some(AnswerShape::Number) => text.parse().map_or_else(|_| Self::Text(text), Self::Number),
            Some(AnswerShape::Choice | AnswerShape::Labels) => {
                let choices = question.choices();
                Self::Place(choices.iter().position(|choice| *choice == text).unwrap_or(choices.len()))
            }
            _ => Self::Text(text.to_lowercase()),
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Place(a), Self::Place(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => natural_order(a, b),
            // All answers to a question have one kind of key, unless a number could not be read.
            (Self::Text(_), _) => Ordering::Greater,
            (_, Self::Text(_)) => Ordering::Less,
            _ => Ordering::Equal,
        }
    }
}

/// Returns the keys of the run's twins in a column. Twins without an answer are missing.
async fn keys(conn: &mut AsyncPgConnection, run: &Run, column: &Column) -> Result<HashMap<i32, Key>> {
    let id = run.facts.id;
    let (question, row) = match column {
        Column::Persona => {
            let names = twin_search::names(conn, id).await?.into_iter();
            return Ok(names
                .map(|ColumnText { persona_id, text }| (persona_id, Key::Text(text.to_lowercase())))
                .collect());
        }
        Column::Question(question) => (*question, None),
        Column::Row(question, place) => (*question, Some(*place)),
    };
    let Some(question) = run.questions.iter().find(|each| each.id == question) else { return Ok(HashMap::new()) };
    let row = row.and_then(|place| question.sub_questions.get(place)).map(String::as_str);
    let answers = twin_search::answers(conn, id, question.id, row).await?.into_iter();
    Ok(answers.map(|ColumnText { persona_id, text }| (persona_id, Key::of(question, text))).collect())
}

/// Sorts twins by their keys. Twins with equal keys keep their order; those without a key come last, in either direction.
fn sorted(twins: Vec<i32>, keys: &HashMap<i32, Key>, direction: Direction) -> Vec<i32> {
    let (mut keyed, others): (Vec<i32>, Vec<i32>) = twins.into_iter().partition(|twin| keys.contains_key(twin));
    keyed.sort_by(|a, b| {
        let order = keys[a].compare(&keys[b]);
        if direction == Direction::Desc { order.reverse() } else { order }
    });
    keyed.extend(others);
    keyed
}

/// Compares texts with the numbers in them by their size: `twin 9` comes before `twin 10`.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (digits_a, digits_b) = (leading_digits(a), leading_digits(b));
        if digits_a > 0 && digits_b > 0 {
            let (number_a, number_b) = (a[..digits_a].trim_start_matches('0'), b[..digits_b].trim_start_matches('0'));
            let order = number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b));
            if order.is_ne() {
                return order;
            }
            (a, b) = (&a[digits_a..], &b[digits_b..]);
            continue;
        }
        let (mut letters_a, mut letters_b) = (a.chars(), b.chars());
        match (letters_a.next(), letters_b.next()) {
            (Some(one), Some(other)) if one == other => (a, b) = (letters_a.as_str(), letters_b.as_str()),
            (one, other) => return one.cmp(&other),
        }
    }
}

/// The number of bytes of the digits at the beginning.
fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_are_compared_by_size() {
        let mut texts = ["twin 10", "twin 9", "twin 09 a", "twin", "ähnlich", "twin 9 b"];
        texts.sort_by(|a, b| natural_order(a, b));
        assert_eq!(texts, ["twin", "twin 9", "twin 09 a", "twin 9 b", "twin 10", "ähnlich"]);
    }

    #[test]
    fn equal_keys_keep_their_order_and_twins_without_an_answer_come_last_in_both_directions() {
        let keys = HashMap::from([(2, 10.0), (3, 9.0), (4, 10.0)].map(|(twin, number)| (twin, Key::Number(number))));
        let order = |direction| sorted(vec![1, 2, 3, 4], &keys, direction);
        assert_eq!(order(Direction::Asc), [3, 2, 4, 1]);
        assert_eq!(order(Direction::Desc), [2, 4, 3, 1]);
    }
}
