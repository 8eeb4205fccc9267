//! Adding, changing, removing and reordering the questions of a survey that nothing locks. Positions stay 1, 2, ...

use std::collections::HashSet;

use diesel::dsl::now;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use super::stored::{Content, Stored, of_survey};
use super::{NewQuestion, Question, QuestionPayload};
use crate::models::survey_file::QUESTIONS;
use crate::models::surveys::{Refusal, changes as surveys};
use crate::schema::questions;

/// The survey that a question belongs to.
pub async fn survey_of(conn: &mut AsyncPgConnection, question_id: i64) -> QueryResult<Option<i64>> {
    questions::table.find(question_id).select(questions::survey_id).first(conn).await.optional()
}

/// Adds the question at the end.
pub async fn add(conn: &mut AsyncPgConnection, survey_id: i64, new: &NewQuestion) -> Result<Question, Refusal> {
    conn.transaction(async |conn| {
        surveys::open(conn, survey_id).await?;
        let before: i64 = questions::table.filter(questions::survey_id.eq(survey_id)).count().get_result(conn).await?;
        if before >= QUESTIONS as i64 {
            return Err(Refusal::Full);
        }
        let place = (questions::survey_id.eq(survey_id), questions::position.eq(before as i32 + 1));
        let stored: Stored = diesel::insert_into(questions::table)
            .values((place, Content::from(new)))
            .returning(Stored::as_returning())
            .get_result(conn)
            .await?;
        Ok(stored.try_into()?)
    })
    .await
}

/// Changes what the payload speaks of; the rest stays.
pub async fn amend(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    id: i64,
    payload: QuestionPayload,
) -> Result<Question, Refusal> {
    conn.transaction(async |conn| {
        surveys::open(conn, survey_id).await?;
        let stored: Stored = questions::table
            .find(id)
            .select(Stored::as_select())
            .first(conn)
            .await
            .optional()?
            .ok_or(Refusal::QuestionNotFound)?;
        let changed = payload.amending(&stored.try_into()?).validate()?;
        let stored: Stored = diesel::update(questions::table.find(id))
            .set((Content::from(&changed), questions::updated_at.eq(now)))
            .returning(Stored::as_returning())
            .get_result(conn)
            .await?;
        Ok(stored.try_into()?)
    })
    .await
}

/// Removes the question; those behind it move up.
pub async fn remove(conn: &mut AsyncPgConnection, survey_id: i64, id: i64) -> Result<(), Refusal> {
    conn.transaction(async |conn| {
        surveys::open(conn, survey_id).await?;
        let position: i32 = diesel::delete(questions::table.find(id))
            .returning(questions::position)
            .get_result(conn)
            .await
            .optional()?
            .ok_or(Refusal::QuestionNotFound)?;
        let behind =
            questions::table.filter(questions::survey_id.eq(survey_id)).filter(questions::position.gt(position));
        diesel::update(behind).set(questions::position.eq(questions::position - 1)).execute(conn).await?;
        Ok(())
    })
    .await
}

/// Puts the questions in the order of these numbers, and numbers them from 1. `orders`: each question's id and number.
pub async fn reorder(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    mut orders: Vec<(i64, i64)>,
) -> Result<Vec<Question>, Refusal> {
    orders.sort_by_key(|(_, order)| *order);
    conn.transaction(async |conn| {
        surveys::open(conn, survey_id).await?;
        let known: Vec<i64> =
            questions::table.filter(questions::survey_id.eq(survey_id)).select(questions::id).load(conn).await?;
        let asked: HashSet<i64> = orders.iter().map(|(id, _)| *id).collect();
        if asked != HashSet::from_iter(known) || asked.len() != orders.len() {
            return Err(Refusal::Order);
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
