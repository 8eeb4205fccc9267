//! Questions in the database.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{NewQuestion, Question, QuestionType};
use crate::schema::questions;

#[derive(Queryable, Selectable)]
#[diesel(table_name = questions, check_for_backend(diesel::pg::Pg))]
pub(super) struct Stored {
    id: i64,
    position: i32,
    text: String,
    question_type: String,
    required: bool,
    options: Vec<String>,
    scale_labels: Vec<String>,
    sub_questions: Vec<String>,
    min_value: Option<f64>,
    max_value: Option<f64>,
    min_description: Option<String>,
    max_description: Option<String>,
    placeholder: Option<String>,
}

impl TryFrom<Stored> for Question {
    type Error = diesel::result::Error;

    fn try_from(stored: Stored) -> QueryResult<Self> {
        let unknown = || format!("question {}: unknown type {}", stored.id, stored.question_type);
        let question_type = QuestionType::parse(&stored.question_type)
            .ok_or_else(|| diesel::result::Error::DeserializationError(unknown().into()))?;
        Ok(Self {
            id: stored.id,
            order: stored.position,
            text: stored.text,
            question_type,
            required: stored.required,
            options: stored.options,
            scale_labels: stored.scale_labels,
            sub_questions: stored.sub_questions,
            min_value: stored.min_value,
            max_value: stored.max_value,
            min_description: stored.min_description,
            max_description: stored.max_description,
            placeholder: stored.placeholder,
        })
    }
}

/// A survey's questions in its order.
pub async fn of_survey(connection: &mut AsyncPgConnection, survey_id: i64) -> QueryResult<Vec<Question>> {
    let stored: Vec<Stored> = questions::table
        .filter(questions::survey_id.eq(survey_id))
        .order(questions::position)
        .select(Stored::as_select())
        .load(connection)
        .await?;
    stored.into_iter().map(Question::try_from).collect()
}

/// What a question says, without its place.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = questions, treat_none_as_null = true)]
pub(super) struct Content<'a> {
    text: &'a str,
    question_type: &'static str,
    required: bool,
    options: &'a [String],
    scale_labels: &'a [String],
    sub_questions: &'a [String],
    min_value: Option<f64>,
    max_value: Option<f64>,
    min_description: Option<&'a str>,
    max_description: Option<&'a str>,
    placeholder: Option<&'a str>,
}

impl<'a> From<&'a NewQuestion> for Content<'a> {
    fn from(question: &'a NewQuestion) -> Self {
        Self {
            text: &question.text,
            question_type: question.question_type.name(),
            required: question.required,
            options: &question.options,
            scale_labels: &question.scale_labels,
            sub_questions: &question.sub_questions,
            min_value: question.min_value,
            max_value: question.max_value,
            min_description: question.min_description.as_deref(),
            max_description: question.max_description.as_deref(),
            placeholder: question.placeholder.as_deref(),
        }
    }
}

/// Stores the questions of a survey that has none yet, at the positions 1, 2, ...
pub async fn insert(
    connection: &mut AsyncPgConnection,
    survey_id: i64,
    new: &[NewQuestion],
) -> QueryResult<Vec<Question>> {
    let rows: Vec<_> = (1..)
        .zip(new)
        .map(|(position, question): (i32, &NewQuestion)| {
            (questions::survey_id.eq(survey_id), questions::position.eq(position), Content::from(question))
        })
        .collect();
    let mut stored: Vec<Stored> = diesel::insert_into(questions::table)
        .values(rows)
        .returning(Stored::as_returning())
        .get_results(connection)
        .await?;
    stored.sort_by_key(|question| question.position);
    stored.into_iter().map(Question::try_from).collect()
}
