//! Answers of the people behind a set of personas to the questions that their profiles were made from. A persona has
//! read these answers, so they are shown next to its own but measure nothing.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{Array, Integer, Jsonb, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::held_out::HeldOutQuestion;
use crate::models::json::unreadable;
use crate::schema::profile_items;

/// A question of a profile with one person's answers by key.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileAnswers {
    pub question: HeldOutQuestion,
    pub answers: BTreeMap<String, f64>,
}

/// Returns the questions of a set, in the dataset's order. Empty: its file did not have the answers.
pub async fn questions(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<Vec<HeldOutQuestion>> {
    let rows: Vec<serde_json::Value> = profile_items::table
        .filter(profile_items::set_id.eq(set_id))
        .order(profile_items::position)
        .select(profile_items::question)
        .load(conn)
        .await?;
    rows.into_iter().map(|row| serde_json::from_value(row).map_err(unreadable)).collect()
}

/// Returns the answers to these keys of the people behind these personas, by persona.
pub async fn answers(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    personas: &[i32],
    keys: &[String],
) -> QueryResult<BTreeMap<i32, BTreeMap<String, f64>>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Integer)]
        persona_id: i32,
        #[diesel(sql_type = Jsonb)]
        answers: serde_json::Value,
    }
    let rows: Vec<Row> = diesel::sql_query(
        "SELECT persona_id, jsonb_object_agg(answer.key, answer.value) AS answers
         FROM profile_answers, jsonb_each(answers) AS answer
         WHERE set_id = $1 AND persona_id = ANY ($2) AND answer.key = ANY ($3) GROUP BY persona_id",
    )
    .bind::<Integer, _>(set_id)
    .bind::<Array<Integer>, _>(personas)
    .bind::<Array<Text>, _>(keys)
    .load(conn)
    .await?;
    let read = |row: Row| Ok((row.persona_id, serde_json::from_value(row.answers).map_err(unreadable)?));
    rows.into_iter().map(read).collect()
}
