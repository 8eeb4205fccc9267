//! How often each answer was given, from the database.

use std::collections::{BTreeMap, HashMap};
use std::iter::Sum;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::models::questions::Question;

/// What some twins answered to one question.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Twins who answered.
    pub n: i64,
    /// How often each label was chosen, by the row of a matrix (none for other questions).
    pub times: HashMap<(Option<String>, String), i64>,
}

impl Given {
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

/// By question, and by the value of the attribute, empty where a twin has none and where no attribute is asked for.
type Answers = HashMap<i64, BTreeMap<String, Given>>;

/// Equal answers are counted first and taken apart then: two thousand twins rarely give more than a few dozen different
/// ones. Free text is only counted, from the index alone.
fn given(by: Option<&str>) -> String {
    let (twins, joined, part) = match by {
        Some(_) => (TWINS, "JOIN twins USING (persona_id)", "twins.part"),
        None => ("", "", "coalesce($4, '')"),
    };
    format!(
        "WITH {twins} given AS MATERIALIZED (
             SELECT question_id, {part} AS part, answer_value, count(*) AS times
             FROM responses {joined}
             WHERE simulation_id = $1 AND question_id = ANY($2)
             GROUP BY 1, 2, 3)
         SELECT question_id, part, NULL AS matrix_row, NULL AS label, sum(times)::bigint AS times
         FROM given GROUP BY 1, 2
         UNION ALL
         SELECT question_id, {part}, NULL, NULL, count(*)
         FROM responses {joined}
         WHERE simulation_id = $1 AND question_id = ANY($3) GROUP BY 1, 2
         UNION ALL
         SELECT question_id, part, NULL, answer_value #>> '{{}}', times
         FROM given WHERE jsonb_typeof(answer_value) NOT IN ('array', 'object')
         UNION ALL
         SELECT question_id, part, NULL, chosen, sum(times)::bigint
         FROM given, jsonb_array_elements_text(
             CASE jsonb_typeof(answer_value) WHEN 'array' THEN answer_value ELSE '[]' END) AS chosen
         GROUP BY 1, 2, 4
         UNION ALL
         SELECT question_id, part, rating.key, rating.value, sum(times)::bigint
         FROM given, jsonb_each_text(
             CASE jsonb_typeof(answer_value) WHEN 'object' THEN answer_value ELSE '{{}}' END) AS rating
         GROUP BY 1, 2, 3, 4"
    )
}

const TWINS: &str = "
    twins AS MATERIALIZED (
        SELECT twin.persona_id, coalesce(personas.attributes ->> $4, '') AS part
        FROM simulation_personas AS twin
        JOIN personas ON (personas.set_id, personas.id) = (twin.persona_set_id, twin.persona_id)
        WHERE twin.simulation_id = $1),";

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
        #[diesel(sql_type = Nullable<Text>)]
        matrix_row: Option<String>,
        /// None: the row counts the twins who answered.
        #[diesel(sql_type = Nullable<Text>)]
        label: Option<String>,
        #[diesel(sql_type = BigInt)]
        times: i64,
    }
    let (free, countable): (Vec<&Question>, Vec<&Question>) = questions.iter().partition(|question| question.is_text());
    let ids = |questions: Vec<&Question>| questions.into_iter().map(|question| question.id).collect::<Vec<i64>>();
    let rows: Vec<Row> = sql_query(given(by))
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<BigInt>, _>(ids(countable))
        .bind::<Array<BigInt>, _>(ids(free))
        .bind::<Nullable<Text>, _>(by)
        .load(conn)
        .await?;
    let mut answers = Answers::new();
    for Row { question_id, part, matrix_row, label, times } in rows {
        let given = answers.entry(question_id).or_default().entry(part).or_default();
        match label {
            None => given.n = times,
            Some(label) => {
                given.times.insert((matrix_row, label), times);
            }
        }
    }
    Ok(answers)
}

/// Free texts of a question that are shown.
const TEXTS: i64 = 20;

/// The first twins' answers to the questions that take free text, by question.
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
