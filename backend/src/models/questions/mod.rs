//! Questions of surveys in the database.

pub mod changes;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use survey::question::Question;

use crate::schema::questions;

/// The columns of a [`Question`], in the order of its fields.
#[diesel::dsl::auto_type(no_type_alias)]
fn columns() -> _ {
    (
        questions::id,
        questions::survey_id,
        questions::position,
        questions::text,
        questions::name,
        questions::question_type,
        questions::required,
        questions::options,
        questions::scale_labels,
        questions::sub_questions,
        questions::min_value,
        questions::max_value,
        questions::min_description,
        questions::max_description,
        questions::placeholder,
        questions::total,
        questions::logic,
    )
}

/// A question's columns with their values, except the id.
macro_rules! values {
    ($question:expr) => {{
        let question: &Question = $question;
        (
            questions::survey_id.eq(question.survey_id),
            questions::position.eq(question.order),
            questions::text.eq(&question.text),
            questions::name.eq(&question.name),
            questions::question_type.eq(question.question_type),
            questions::required.eq(question.required),
            questions::options.eq(&question.options),
            questions::scale_labels.eq(&question.scale_labels),
            questions::sub_questions.eq(&question.sub_questions),
            questions::min_value.eq(question.min_value),
            questions::max_value.eq(question.max_value),
            questions::min_description.eq(&question.min_description),
            questions::max_description.eq(&question.max_description),
            questions::placeholder.eq(&question.placeholder),
            questions::total.eq(question.total),
            questions::logic.eq(&question.logic),
        )
    }};
}
use values;

/// Returns a survey's questions in its order.
pub async fn of_survey(conn: &mut AsyncPgConnection, survey_id: i64) -> QueryResult<Vec<Question>> {
    questions::table
        .filter(questions::survey_id.eq(survey_id))
        .order(questions::position)
        .select(columns())
        .load(conn)
        .await
}

/// Stores the questions of a survey that has none yet, at the positions 1, 2, ...
pub async fn insert(conn: &mut AsyncPgConnection, survey_id: i64, new: &[Question]) -> QueryResult<Vec<Question>> {
    let rows: Vec<_> =
        (1..).zip(new).map(|(order, question)| Question { survey_id, order, ..question.clone() }).collect();
    let values: Vec<_> = rows.iter().map(|question| values!(question)).collect();
    let mut stored: Vec<Question> =
        diesel::insert_into(questions::table).values(values).returning(columns()).get_results(conn).await?;
    stored.sort_by_key(|question| question.order);
    Ok(stored)
}
