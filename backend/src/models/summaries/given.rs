//! Counts of the answers that were given.

use std::collections::{BTreeMap, HashMap};
use std::iter::Sum;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Jsonb, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;

use crate::models::questions::Question;

/// The answers of some personas to one question.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Twins who answered.
    pub n: i64,
    /// How often each label was chosen, by the row of a matrix (none for other questions).
    pub times: HashMap<(Option<String>, String), i64>,
}

impl Given {
    /// An answer that so many twins gave: a label, several of them, or one for each row of a matrix.
    fn add(&mut self, value: Option<Value>, times: i64) {
        self.n += times;
        match value {
            None => {}
            Some(Value::Array(chosen)) => chosen.into_iter().for_each(|label| self.count(None, label, times)),
            Some(Value::Object(ratings)) => {
                ratings.into_iter().for_each(|(row, label)| self.count(Some(row), label, times));
            }
            Some(label) => self.count(None, label, times),
        }
    }

    fn count(&mut self, row: Option<String>, label: Value, times: i64) {
        let label = match label {
            Value::String(text) => text,
            number_or_truth => number_or_truth.to_string(),
        };
        *self.times.entry((row, label)).or_default() += times;
    }

    pub fn times(&self, row: Option<&str>, label: &str) -> i64 {
        self.times.get(&(row.map(str::to_owned), label.to_owned())).copied().unwrap_or_default()
    }
}

impl Sum for Given {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        let mut parts = parts;
        let mut sum = parts.next().unwrap_or_default();
        for part in parts {
            sum.n += part.n;
            for (label, times) in part.times {
                *sum.times.entry(label).or_default() += times;
            }
        }
        sum
    }
}

/// By question, then by the value of the attribute: empty for personas without it, and if no attribute is asked for.
type Answers = HashMap<i64, BTreeMap<String, Given>>;

/// Counts equal answers in one pass: 2,000 personas rarely give more than a few dozen different ones to a question. Free
/// texts, which nearly all differ, are counted as one.
fn given(by: Option<&str>) -> String {
    let (part, twins) = match by {
        Some(_) => ("coalesce(personas.attributes ->> $3, '')", TWINS),
        None => ("coalesce($3, '')", ""),
    };
    format!(
        "SELECT question_id, {part} AS part, CASE WHEN question_id <> ALL($2) THEN answer_value END AS value,
             count(*) AS times
         FROM responses {twins} WHERE simulation_id = $1 GROUP BY 1, 2, 3"
    )
}

const TWINS: &str = "
    JOIN simulation_personas AS twin USING (simulation_id, persona_id)
    JOIN personas ON (personas.set_id, personas.id) = (twin.persona_set_id, twin.persona_id)";

pub(super) async fn load(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    by: Option<&str>,
) -> QueryResult<Answers> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        question_id: i64,
        #[diesel(sql_type = Text)]
        part: String,
        /// `None`: free text.
        #[diesel(sql_type = Nullable<Jsonb>)]
        value: Option<Value>,
        #[diesel(sql_type = BigInt)]
        times: i64,
    }
    let free: Vec<i64> = questions.iter().filter(|question| question.is_text()).map(|question| question.id).collect();
    let rows: Vec<Row> = sql_query(given(by))
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<BigInt>, _>(free)
        .bind::<Nullable<Text>, _>(by)
        .load(conn)
        .await?;
    let mut answers = Answers::new();
    for Row { question_id, part, value, times } in rows {
        answers.entry(question_id).or_default().entry(part).or_default().add(value, times);
    }
    Ok(answers)
}

/// Free texts of a question that a summary shows.
const TEXTS: i64 = 20;

/// The first personas' answers to the free-text questions, by question.
pub(super) async fn texts(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
) -> QueryResult<HashMap<i64, Vec<String>>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        question_id: i64,
        #[diesel(sql_type = Text)]
        answer: String,
    }
    let free: Vec<i64> = questions.iter().filter(|question| question.is_text()).map(|question| question.id).collect();
    if free.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Row> = sql_query(
        "SELECT asked.id AS question_id, said.answer FROM unnest($2) AS asked (id), LATERAL (
             SELECT answer FROM responses WHERE simulation_id = $1 AND question_id = asked.id
             ORDER BY persona_id LIMIT $3) AS said",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<BigInt>, _>(free)
    .bind::<BigInt, _>(TEXTS)
    .load(conn)
    .await?;
    let mut texts: HashMap<i64, Vec<String>> = HashMap::new();
    for Row { question_id, answer } in rows {
        texts.entry(question_id).or_default().push(answer);
    }
    Ok(texts)
}
