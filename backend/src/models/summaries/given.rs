//! Counts of answers.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Double, Integer, Jsonb, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use simulation::summaries::given::GivenAnswers;
use simulation::summaries::numbers::{Extent, Intervals};
use survey::answer::Answer;
use survey::question::Question;

use super::places::PlacedQuestions;

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    question_id: i64,
    /// Index of the group.
    #[diesel(sql_type = Integer)]
    part: i32,
    /// The answer; `None`: free text.
    #[diesel(sql_type = Nullable<Jsonb>)]
    value: Option<Value>,
    #[diesel(sql_type = BigInt)]
    times: i64,
}

/// Selects equal answers with their frequency in one pass: 2,000 personas rarely give more than a few dozen different
/// ones to a question. Free texts, which nearly all differ, are counted as one.
fn counts(part: &str, twins: &str) -> String {
    format!(
        "SELECT question_id, {part} AS part, CASE WHEN question_id <> ALL($2) THEN answer_value END AS value,
             count(*) AS times
         FROM responses {twins} WHERE simulation_id = $1 GROUP BY 1, 2, 3"
    )
}

/// Returns the answers of these personas, or of all, by question.
pub(super) async fn whole(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    twins: Option<&[i32]>,
) -> QueryResult<HashMap<i64, GivenAnswers>> {
    let chosen = "JOIN unnest($3) AS twin (persona_id) USING (persona_id)";
    let counts = sql_query(counts("0", if twins.is_some() { chosen } else { "" }))
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<BigInt>, _>(free(questions));
    let rows: Vec<Row> = match twins {
        Some(twins) => counts.bind::<Array<Integer>, _>(twins).load(conn).await?,
        None => counts.load(conn).await?,
    };
    let by_id = by_id(questions);
    let mut answers: HashMap<i64, GivenAnswers> = HashMap::new();
    for row in rows {
        answers.entry(row.question_id).or_default().add(row.answer(&by_id).as_ref(), row.times);
    }
    Ok(answers)
}

/// Returns the answers of these personas, by question and by the index of their group.
pub(super) async fn grouped(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    members: &[(i32, i32)],
) -> QueryResult<HashMap<(i64, i32), GivenAnswers>> {
    let (twins, places): (Vec<i32>, Vec<i32>) = members.iter().copied().unzip();
    let members = "JOIN unnest($3, $4) AS twin (persona_id, place) USING (persona_id)";
    let rows = sql_query(counts("place", members))
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<BigInt>, _>(free(questions))
        .bind::<Array<Integer>, _>(twins)
        .bind::<Array<Integer>, _>(places)
        .load(conn)
        .await?;
    Ok(by_group(rows, questions))
}

/// Returns the answers by question and by the third of the block in which the question was asked.
pub(super) async fn placed(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    PlacedQuestions { twins, questions: placed, thirds }: &PlacedQuestions,
) -> QueryResult<HashMap<(i64, i32), GivenAnswers>> {
    let members = "JOIN unnest($3, $4, $5) AS asked (persona_id, question_id, place) USING (persona_id, question_id)";
    let rows = sql_query(counts("place", members))
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<BigInt>, _>(free(questions))
        .bind::<Array<Integer>, _>(twins)
        .bind::<Array<BigInt>, _>(placed)
        .bind::<Array<Integer>, _>(thirds)
        .load(conn)
        .await?;
    Ok(by_group(rows, questions))
}

fn by_group(rows: Vec<Row>, questions: &[Question]) -> HashMap<(i64, i32), GivenAnswers> {
    let by_id = by_id(questions);
    let mut answers: HashMap<(i64, i32), GivenAnswers> = HashMap::new();
    for row in rows {
        answers.entry((row.question_id, row.part)).or_default().add(row.answer(&by_id).as_ref(), row.times);
    }
    answers
}

/// Adds up the answers of all groups, by question.
pub(super) fn together(groups: &HashMap<(i64, i32), GivenAnswers>) -> HashMap<i64, GivenAnswers> {
    let mut answers: HashMap<i64, GivenAnswers> = HashMap::new();
    for ((question, _), given) in groups {
        let whole = answers.entry(*question).or_default();
        whole.n += given.n;
        for (label, times) in &given.times {
            *whole.times.entry(label.clone()).or_default() += times;
        }
        for (row, times) in &given.of_row {
            *whole.of_row.entry(row.clone()).or_default() += times;
        }
    }
    answers
}

fn free(questions: &[Question]) -> Vec<i64> {
    questions.iter().filter(|question| question.is_text()).map(|question| question.id).collect()
}

fn by_id(questions: &[Question]) -> HashMap<i64, &Question> {
    questions.iter().map(|question| (question.id, question)).collect()
}

impl Row {
    fn answer(&self, questions: &HashMap<i64, &Question>) -> Option<Answer> {
        Answer::decode(questions.get(&self.question_id)?, self.value.as_ref()?).ok()
    }
}

/// Returns the range of all answers of the run, by question, for questions whose intervals depend on it.
pub(super) async fn extents(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
) -> QueryResult<HashMap<i64, Extent>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        question_id: i64,
        #[diesel(sql_type = Nullable<Double>)]
        low: Option<f64>,
        #[diesel(sql_type = Nullable<Double>)]
        high: Option<f64>,
        #[diesel(sql_type = Bool)]
        whole: bool,
    }
    let numbers = questions.iter().filter(|question| Intervals::depend_on_answers(question));
    let numbers: Vec<i64> = numbers.map(|question| question.id).collect();
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Row> = sql_query(
        "SELECT question_id, min(number) AS low, max(number) AS high, bool_and(number = trunc(number)) IS NOT FALSE AS whole
         FROM responses, LATERAL (SELECT CASE WHEN jsonb_typeof(answer_value) = 'number'
             THEN answer_value::float8 END AS number) AS given
         WHERE simulation_id = $1 AND question_id = ANY($2) GROUP BY 1",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<BigInt>, _>(numbers)
    .load(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|Row { question_id, low, high, whole }| (question_id, Extent { low, high, whole }))
        .collect())
}

/// Upper limit of free texts that a summary shows for a question.
const MAX_TEXTS: i64 = 20;

/// Returns the first answers of these personas, or of all, to the free-text questions, by question.
pub(super) async fn texts(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    twins: Option<&[i32]>,
) -> QueryResult<HashMap<i64, Vec<String>>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        question_id: i64,
        #[diesel(sql_type = Text)]
        answer: String,
    }
    let free = free(questions);
    if free.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Row> = sql_query(
        "SELECT asked.id AS question_id, said.answer FROM unnest($2) AS asked (id), LATERAL (
             SELECT answer FROM responses WHERE simulation_id = $1 AND question_id = asked.id
                 AND ($4 IS NULL OR persona_id = ANY($4))
             ORDER BY persona_id LIMIT $3) AS said",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<BigInt>, _>(free)
    .bind::<BigInt, _>(MAX_TEXTS)
    .bind::<Nullable<Array<Integer>>, _>(twins)
    .load(conn)
    .await?;
    let mut texts: HashMap<i64, Vec<String>> = HashMap::new();
    for Row { question_id, answer } in rows {
        texts.entry(question_id).or_default().push(answer);
    }
    Ok(texts)
}
