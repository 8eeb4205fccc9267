//! Questions that the people behind a set of twins answered twice and that their twins do not know: twins are validated
//! against these answers. They never appear in a prompt, on a page about a twin or in a download.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};

use super::persona_draws::sample;
use crate::models::json::unreadable;
use crate::schema::{held_out_answers, held_out_questions, profile_questions};

/// A question of the dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutQuestion {
    /// The dataset's id, for example `QID287`.
    pub qid: String,
    pub text: String,
    pub kind: HeldOutKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldOutKind {
    /// The answer is the position of one of these options, from 1.
    Choice(Vec<String>),
    /// The answers are, for each row, the position of a column, from 1.
    Matrix { rows: Vec<HeldOutRow>, columns: Vec<String> },
    /// The answers are a number for each row; one number if there are no rows.
    Numbers { rows: Vec<HeldOutRow>, bounds: Option<(f64, f64)> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutRow {
    pub id: String,
    pub text: String,
}

impl HeldOutQuestion {
    pub fn rows(&self) -> &[HeldOutRow] {
        match &self.kind {
            HeldOutKind::Choice(_) => &[],
            HeldOutKind::Matrix { rows, .. } | HeldOutKind::Numbers { rows, .. } => rows,
        }
    }

    /// The key of a row's answers, or of the whole question's if it has no rows.
    pub fn key(&self, row: Option<&HeldOutRow>) -> String {
        row.map_or_else(|| self.qid.clone(), |row| format!("{}_{}", self.qid, row.id))
    }

    /// The texts of the question and its rows.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text.as_str()).chain(self.rows().iter().map(|row| row.text.as_str()))
    }
}

/// One person's answers to a question, both times, by key.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    pub question: HeldOutQuestion,
    pub answers: HeldOutAnswers,
}

/// The first and the second answer to each item, by the item's key.
pub type HeldOutAnswers = BTreeMap<String, (Option<f64>, Option<f64>)>;

/// Returns the questions of a set, in the dataset's order.
pub async fn questions(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<Vec<HeldOutQuestion>> {
    let rows: Vec<serde_json::Value> = held_out_questions::table
        .filter(held_out_questions::set_id.eq(set_id))
        .order(held_out_questions::position)
        .select(held_out_questions::question)
        .load(conn)
        .await?;
    rows.into_iter().map(|row| serde_json::from_value(row).map_err(unreadable)).collect()
}

/// Returns the answers of the people behind these personas of the set, or behind all, by persona.
pub async fn answers(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    personas: Option<&[i32]>,
) -> QueryResult<BTreeMap<i32, HeldOutAnswers>> {
    let of_set = held_out_answers::table
        .filter(held_out_answers::set_id.eq(set_id))
        .select((held_out_answers::persona_id, held_out_answers::answers));
    let rows: Vec<(i32, serde_json::Value)> = match personas {
        Some(personas) => of_set.filter(held_out_answers::persona_id.eq_any(personas)).load(conn).await?,
        None => of_set.load(conn).await?,
    };
    rows.into_iter().map(|(persona, row)| Ok((persona, serde_json::from_value(row).map_err(unreadable)?))).collect()
}

/// Returns how many personas of the set have held-out answers.
pub async fn people(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<i64> {
    held_out_answers::table.filter(held_out_answers::set_id.eq(set_id)).count().get_result(conn).await
}

/// Draws `n` of those personas at random, or all if there are fewer. Returns them ascending, each with the questions
/// that its person answered the first time.
pub async fn choose(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    n: usize,
    seed: i64,
) -> QueryResult<Vec<(i32, Vec<String>)>> {
    let of_set = held_out_answers::table.filter(held_out_answers::set_id.eq(set_id));
    let ids = of_set.order(held_out_answers::persona_id).select(held_out_answers::persona_id).load(conn).await?;
    of_set
        .filter(held_out_answers::persona_id.eq_any(sample(ids, n, seed)))
        .order(held_out_answers::persona_id)
        .select((held_out_answers::persona_id, held_out_answers::asked))
        .load(conn)
        .await
}

/// Returns the questions that the texts of a set were made from, if its file names them.
pub async fn profile(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<Vec<String>> {
    profile_questions::table
        .filter(profile_questions::set_id.eq(set_id))
        .order(profile_questions::position)
        .select(profile_questions::text)
        .load(conn)
        .await
}
