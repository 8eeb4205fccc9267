//! What a run's answers say, question by question: counts of options, ratings and truth values, moments of numbers,
//! examples of free text. Counted by the database.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Double, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;

use crate::models::questions::{Question, QuestionType};

/// One question's answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub question_id: i64,
    /// Twins who answered.
    pub n: i64,
    /// How often each option, rating or truth value was chosen, in the order of the question.
    pub counts: Vec<Count>,
    /// Of numeric questions.
    pub moments: Option<Moments>,
    /// Of free text: the first few answers by twin.
    pub examples: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// The row of a matrix.
    pub row: Option<String>,
    pub label: String,
    pub count: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, QueryableByName)]
pub struct Moments {
    #[diesel(sql_type = Double)]
    pub mean: f64,
    /// Sample standard deviation; `None` for a single answer.
    #[diesel(sql_type = Nullable<Double>)]
    pub sd: Option<f64>,
    #[diesel(sql_type = Double)]
    pub min: f64,
    #[diesel(sql_type = Double)]
    pub max: f64,
}

const EXAMPLES: i64 = 3;

/// Summaries of all questions, in their order.
pub async fn of_run(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
) -> QueryResult<Vec<Summary>> {
    let answered = answered(conn, simulation_id).await?;
    let mut counted = counts(conn, simulation_id, questions).await?;
    let mut summaries = Vec::with_capacity(questions.len());
    for question in questions {
        let mut summary = Summary {
            question_id: question.id,
            n: answered.get(&question.id).copied().unwrap_or_default(),
            ..Summary::default()
        };
        match question.question_type {
            QuestionType::Slider | QuestionType::Range | QuestionType::Number => {
                summary.moments = moments(conn, simulation_id, question.id).await?;
            }
            QuestionType::TextEntry | QuestionType::OpenEnded => {
                summary.examples = examples(conn, simulation_id, question.id).await?;
            }
            _ => {
                let counted = counted.remove(&question.id).unwrap_or_default();
                summary.counts = in_question_order(question, counted);
            }
        }
        summaries.push(summary);
    }
    Ok(summaries)
}

async fn answered(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<HashMap<i64, i64>> {
    use crate::schema::responses;
    let counted: Vec<(i64, i64)> = responses::table
        .filter(responses::simulation_id.eq(simulation_id))
        .group_by(responses::question_id)
        .select((responses::question_id, diesel::dsl::count_star()))
        .load(conn)
        .await?;
    Ok(counted.into_iter().collect())
}

/// A matrix row (none for other questions) and a label, counted.
type Counted = HashMap<(Option<String>, String), i64>;

async fn counts(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
) -> QueryResult<HashMap<i64, Counted>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        question_id: i64,
        #[diesel(sql_type = Nullable<Text>)]
        matrix_row: Option<String>,
        #[diesel(sql_type = Text)]
        label: String,
        #[diesel(sql_type = BigInt)]
        count: i64,
    }
    let of = |types: &[QuestionType]| {
        questions.iter().filter(|q| types.contains(&q.question_type)).map(|q| q.id).collect::<Vec<i64>>()
    };
    let rows: Vec<Row> = sql_query(
        "SELECT question_id, matrix_row, label, count(*) AS count FROM (
             SELECT question_id, NULL AS matrix_row, answer AS label FROM responses
             WHERE simulation_id = $1 AND question_id = ANY($2)
             UNION ALL
             SELECT question_id, NULL, chosen FROM responses, jsonb_array_elements_text(answer_value) AS chosen
             WHERE simulation_id = $1 AND question_id = ANY($3)
             UNION ALL
             SELECT question_id, rating.key, rating.value FROM responses, jsonb_each_text(answer_value) AS rating
             WHERE simulation_id = $1 AND question_id = ANY($4)) AS given
         GROUP BY question_id, matrix_row, label",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<BigInt>, _>(of(&[QuestionType::SingleChoice, QuestionType::Boolean]))
    .bind::<Array<BigInt>, _>(of(&[QuestionType::MultipleChoice]))
    .bind::<Array<BigInt>, _>(of(&[QuestionType::Matrix]))
    .load(conn)
    .await?;
    let mut counted: HashMap<i64, Counted> = HashMap::new();
    for row in rows {
        counted.entry(row.question_id).or_default().insert((row.matrix_row, row.label), row.count);
    }
    Ok(counted)
}

/// Every label that could have been chosen, also those that nobody chose.
fn in_question_order(question: &Question, counted: Counted) -> Vec<Count> {
    let yes_no = ["Yes".to_owned(), "No".to_owned()];
    let (rows, labels): (Vec<Option<&String>>, &[String]) = match question.question_type {
        QuestionType::Matrix => (question.rows().iter().map(Some).collect(), &question.scale_labels),
        QuestionType::Boolean => (vec![None], &yes_no),
        _ => (vec![None], &question.options),
    };
    let count = |row: Option<&String>, label: &String| {
        let count = counted.get(&(row.cloned(), label.clone())).copied().unwrap_or_default();
        Count { row: row.cloned(), label: label.clone(), count }
    };
    rows.into_iter()
        .flat_map(|row| labels.iter().map(move |label| (row, label)))
        .map(|(row, label)| count(row, label))
        .collect()
}

async fn moments(conn: &mut AsyncPgConnection, simulation_id: i64, question_id: i64) -> QueryResult<Option<Moments>> {
    sql_query(
        "SELECT avg(value) AS mean, stddev_samp(value) AS sd, min(value) AS min, max(value) AS max
         FROM (SELECT answer_value::text::double precision AS value FROM responses
               WHERE simulation_id = $1 AND question_id = $2) AS given HAVING count(*) > 0",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<BigInt, _>(question_id)
    .get_result(conn)
    .await
    .optional()
}

async fn examples(conn: &mut AsyncPgConnection, simulation_id: i64, question_id: i64) -> QueryResult<Vec<String>> {
    use crate::schema::responses;
    responses::table
        .filter(responses::simulation_id.eq(simulation_id))
        .filter(responses::question_id.eq(question_id))
        .order(responses::persona_id)
        .limit(EXAMPLES)
        .select(responses::answer)
        .load(conn)
        .await
}
