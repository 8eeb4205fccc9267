//! Open questions of interviews, and the sizes of their personas' texts.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, Integer};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::parameters::PersonaVariant;

use crate::models::persona_texts;
use crate::schema::{request_failures, responses};

/// Returns the open questions of each of these personas: those without answer and failure, or with `retries_failed`
/// those that had failed. Personas without open questions are missing.
pub(super) async fn open_questions(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    retries_failed: bool,
    questions: &[i64],
    personas: &[i32],
) -> QueryResult<HashMap<i32, Vec<i64>>> {
    let failures = request_failures::table
        .filter(request_failures::simulation_id.eq(simulation_id))
        .filter(request_failures::persona_id.eq_any(personas))
        .filter(request_failures::retrying.eq(retries_failed))
        .select((request_failures::persona_id, request_failures::question_id));
    let failed: Vec<(i32, i64)> = failures.load(conn).await?;
    let mut open: HashMap<i32, Vec<i64>> = HashMap::with_capacity(personas.len());
    if retries_failed {
        for (persona, question) in failed {
            open.entry(persona).or_default().push(question);
        }
        return Ok(open);
    }
    let answered: Vec<(i32, i64)> = responses::table
        .filter(responses::simulation_id.eq(simulation_id))
        .filter(responses::persona_id.eq_any(personas))
        .select((responses::persona_id, responses::question_id))
        .load(conn)
        .await?;
    let settled: HashSet<(i32, i64)> = answered.into_iter().chain(failed).collect();
    for persona in personas {
        let left: Vec<i64> =
            questions.iter().copied().filter(|question| !settled.contains(&(*persona, *question))).collect();
        if !left.is_empty() {
            open.insert(*persona, left);
        }
    }
    Ok(open)
}

#[derive(QueryableByName)]
struct Length {
    #[diesel(sql_type = Integer)]
    id: i32,
    #[diesel(sql_type = Integer)]
    bytes: i32,
}

/// Returns the size of each persona's text in bytes, without reading the text.
pub(super) async fn text_lengths(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    variant: PersonaVariant,
    personas: &[i32],
) -> QueryResult<HashMap<i32, usize>> {
    let text = persona_texts::sql(variant);
    let lengths: Vec<Length> = sql_query(format!(
        "SELECT id, coalesce(octet_length({text}), 0) AS bytes FROM personas WHERE set_id = $1 AND id = ANY($2)"
    ))
    .bind::<Integer, _>(set_id)
    .bind::<Array<Integer>, _>(personas)
    .load(conn)
    .await?;
    Ok(lengths.into_iter().map(|row| (row.id, row.bytes as usize)).collect())
}
