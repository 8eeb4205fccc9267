//! Changes the calls that interviews of batch runs wait for, as their reports say.

use std::collections::HashSet;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bytea, Integer, Jsonb, Text};

use super::report::{CallChange, InterviewReport, NewCall};
use crate::schema::batch_calls;

const INSERT: &str = "
    INSERT INTO batch_calls (simulation_id, persona_id, prompt_hash, body_rest, bytes, reply_tokens, state)
    SELECT $1, persona_id, prompt_hash, body_rest, bytes, reply_tokens, state
    FROM unnest($2, $3, $4, $5, $6, $7) AS new (persona_id, prompt_hash, body_rest, bytes, reply_tokens, state)
    ON CONFLICT DO NOTHING";

/// Applies the reports' call changes. Returns the reports whose interviews leave the queue.
pub(super) fn change<'a>(
    conn: &mut PgConnection,
    simulation_id: i64,
    reports: &[&'a InterviewReport],
) -> QueryResult<Vec<&'a InterviewReport>> {
    let replaced = reports.iter().filter(|report| matches!(report.call_change, CallChange::Replace(_)));
    let replaced: Vec<i32> = replaced.map(|report| report.persona_id).collect();
    if !replaced.is_empty() {
        diesel::delete(batch_calls::table)
            .filter(batch_calls::simulation_id.eq(simulation_id))
            .filter(batch_calls::persona_id.eq_any(replaced))
            .execute(conn)?;
    }
    let new = |report: &&'a InterviewReport| match &report.call_change {
        CallChange::Replace(Some(call)) => Some((report.persona_id, &**call)),
        _ => None,
    };
    let new: Vec<(i32, &NewCall)> = reports.iter().filter_map(new).collect();
    if !new.is_empty() {
        sql_query(INSERT)
            .bind::<BigInt, _>(simulation_id)
            .bind::<Array<Integer>, _>(new.iter().map(|(persona, _)| *persona).collect::<Vec<_>>())
            .bind::<Array<Bytea>, _>(new.iter().map(|(_, call)| call.prompt_hash.as_slice()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(new.iter().map(|(_, call)| call.body_rest.as_str()).collect::<Vec<_>>())
            .bind::<Array<Integer>, _>(new.iter().map(|(_, call)| call.bytes).collect::<Vec<_>>())
            .bind::<Array<Integer>, _>(new.iter().map(|(_, call)| call.reply_tokens).collect::<Vec<_>>())
            .bind::<Array<Jsonb>, _>(new.iter().map(|(_, call)| &call.state).collect::<Vec<_>>())
            .execute(conn)?;
    }
    let answered = answered(conn, simulation_id, reports)?;
    let leaves = |report: &&&InterviewReport| report.finished && !answered.contains(&report.persona_id);
    Ok(reports.iter().filter(leaves).copied().collect())
}

/// Returns the interviews whose awaited reply has arrived already: they must keep their message, or nothing would wake
/// them.
fn answered(conn: &mut PgConnection, simulation_id: i64, reports: &[&InterviewReport]) -> QueryResult<HashSet<i32>> {
    let waiting = reports.iter().filter(|report| matches!(report.call_change, CallChange::Wait));
    let waiting: Vec<i32> = waiting.map(|report| report.persona_id).collect();
    if waiting.is_empty() {
        return Ok(HashSet::new());
    }
    let answered: Vec<i32> = batch_calls::table
        .filter(batch_calls::simulation_id.eq(simulation_id))
        .filter(batch_calls::persona_id.eq_any(waiting))
        .filter(batch_calls::reply.is_not_null())
        .select(batch_calls::persona_id)
        .load(conn)?;
    Ok(answered.into_iter().collect())
}
