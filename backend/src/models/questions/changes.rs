//! Adds, changes, removes and reorders questions of an unlocked survey. Positions stay 1, 2, ...

use std::collections::HashSet;

use diesel::dsl::now;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use survey::document::MAX_QUESTIONS;
use survey::question::names::QuestionNames;
use survey::question::{Invalid, Question, QuestionPayload};

use super::{columns, of_survey, values};
use crate::models::surveys::{SurveyRefusal, changes as surveys};
use crate::schema::questions;

/// Returns the survey that a question belongs to.
pub async fn survey_of(conn: &mut AsyncPgConnection, question_id: i64) -> QueryResult<Option<i64>> {
    questions::table.find(question_id).select(questions::survey_id).first(conn).await.optional()
}

/// Adds the question at the end.
pub async fn add(conn: &mut AsyncPgConnection, survey_id: i64, new: Question) -> Result<Question, SurveyRefusal> {
    conn.transaction(async |conn| {
        let order = open_end(conn, survey_id, 1).await?;
        append(conn, Question { survey_id, order, ..new }).await
    })
    .await
}

/// Adds the questions at the end: all of them, or none. An error names the place of its question in the list.
pub async fn add_all(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    new: Vec<Question>,
) -> Result<Vec<Question>, SurveyRefusal> {
    conn.transaction(async |conn| {
        let first = open_end(conn, survey_id, new.len()).await?;
        let mut stored = Vec::with_capacity(new.len());
        for (place, (order, question)) in (first..).zip(new).enumerate() {
            let added = append(conn, Question { survey_id, order, ..question }).await;
            stored.push(added.map_err(|refusal| match refusal {
                SurveyRefusal::NameTaken { name, order } => {
                    let message = format!("question {order} of the survey is called {name} already");
                    Invalid::new(format!("questions[{place}].name"), message).into()
                }
                other => other,
            })?);
        }
        Ok(stored)
    })
    .await
}

/// Returns the position of the next question of a survey that is open for changes. Fails if the survey is locked or has no room
/// for `new` questions.
async fn open_end(conn: &mut AsyncPgConnection, survey_id: i64, new: usize) -> Result<i32, SurveyRefusal> {
    surveys::open(conn, survey_id).await?;
    let before: i64 = questions::table.filter(questions::survey_id.eq(survey_id)).count().get_result(conn).await?;
    if before + new as i64 > MAX_QUESTIONS as i64 {
        return Err(SurveyRefusal::Full);
    }
    Ok(before as i32 + 1)
}

async fn append(conn: &mut AsyncPgConnection, new: Question) -> Result<Question, SurveyRefusal> {
    let new = named(conn, new).await?;
    Ok(diesel::insert_into(questions::table).values(values!(&new)).returning(columns()).get_result(conn).await?)
}

/// Changes the fields that the payload mentions. Fails if one of its `expected` fields has changed, unless the question
/// already has the requested values.
pub async fn amend(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    id: i64,
    mut payload: QuestionPayload,
) -> Result<Question, SurveyRefusal> {
    let expected = payload.take_expected()?;
    conn.transaction(async |conn| {
        surveys::open(conn, survey_id).await?;
        let before: Question = questions::table
            .find(id)
            .select(columns())
            .first(conn)
            .await
            .optional()?
            .ok_or(SurveyRefusal::QuestionNotFound)?;
        let is_now = |question: &Result<Question, Invalid>| question.as_ref().is_ok_and(|question| *question == before);
        let changed = payload.amend(&before);
        if let Some(expected) = expected
            && !is_now(&expected.amend(&before))
            && !is_now(&changed)
        {
            return Err(SurveyRefusal::QuestionChanged(Box::new(before)));
        }
        let changed = named(conn, changed?).await?;
        Ok(store(conn, &Question { id, ..changed }).await?)
    })
    .await
}

/// Writes a question of a survey that is open for changes.
pub async fn store(conn: &mut AsyncPgConnection, question: &Question) -> QueryResult<Question> {
    diesel::update(questions::table.find(question.id))
        .set((values!(question), questions::updated_at.eq(now)))
        .returning(columns())
        .get_result(conn)
        .await
}

/// Returns the question with a name, made from its text if it has none. Fails if another question of the survey has the
/// name.
async fn named(conn: &mut AsyncPgConnection, mut question: Question) -> Result<Question, SurveyRefusal> {
    let taken: Vec<(i32, String)> = questions::table
        .filter(questions::survey_id.eq(question.survey_id))
        .filter(questions::id.ne(question.id))
        .select((questions::position, questions::name))
        .load(conn)
        .await?;
    if question.name.is_empty() {
        let mut names = QuestionNames::of_survey();
        for (_, name) in &taken {
            names.take(name);
        }
        question.name = names.made_from(&question.text, &format!("q{}", question.order));
    } else if let Some((order, name)) = taken.into_iter().find(|(_, name)| name.eq_ignore_ascii_case(&question.name)) {
        return Err(SurveyRefusal::NameTaken { name, order });
    }
    Ok(question)
}

/// Removes the question and moves later ones up.
pub async fn remove(conn: &mut AsyncPgConnection, survey_id: i64, id: i64) -> Result<(), SurveyRefusal> {
    conn.transaction(async |conn| {
        surveys::open(conn, survey_id).await?;
        let position: i32 = diesel::delete(questions::table.find(id))
            .returning(questions::position)
            .get_result(conn)
            .await
            .optional()?
            .ok_or(SurveyRefusal::QuestionNotFound)?;
        let behind =
            questions::table.filter(questions::survey_id.eq(survey_id)).filter(questions::position.gt(position));
        diesel::update(behind).set(questions::position.eq(questions::position - 1)).execute(conn).await?;
        Ok(())
    })
    .await
}

/// Sorts the questions by these numbers and renumbers them from 1. `orders` has the id and the number of every
/// question.
pub async fn reorder(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    mut orders: Vec<(i64, i64)>,
) -> Result<Vec<Question>, SurveyRefusal> {
    orders.sort_by_key(|(_, order)| *order);
    conn.transaction(async |conn| {
        surveys::open(conn, survey_id).await?;
        let known: Vec<i64> =
            questions::table.filter(questions::survey_id.eq(survey_id)).select(questions::id).load(conn).await?;
        let asked: HashSet<i64> = orders.iter().map(|(id, _)| *id).collect();
        if asked != HashSet::from_iter(known) || asked.len() != orders.len() {
            return Err(SurveyRefusal::Order);
        }
        let (ids, positions): (Vec<i64>, Vec<i32>) = orders.iter().map(|(id, _)| *id).zip(1..).unzip();
        sql_query(
            "UPDATE questions SET position = new.position, updated_at = now()
             FROM unnest($1, $2) AS new (id, position)
             WHERE questions.id = new.id AND questions.position <> new.position",
        )
        .bind::<Array<BigInt>, _>(ids)
        .bind::<Array<Integer>, _>(positions)
        .execute(conn)
        .await?;
        Ok(of_survey(conn, survey_id).await?)
    })
    .await
}
