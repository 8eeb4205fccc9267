//! The statements of a settlement, each of which takes a whole batch as arrays.

use std::collections::HashSet;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bytea, Integer, Jsonb, Nullable, SmallInt, Text};

use super::report::{InterviewReport, NewAnswer, NewFailure, NotShown};
use crate::models::queue::Lease;

diesel::table! {
    pgmq.q_interviews (msg_id) {
        msg_id -> Int8,
        read_ct -> Int4,
    }
}

/// Returns the leases of these reports that are still held. The messages are not locked: the run's lock serialises its
/// settlements, and a worker that takes over a lease afterwards finds this batch's rows.
pub(super) fn held(conn: &mut PgConnection, reports: &[InterviewReport]) -> QueryResult<HashSet<Lease>> {
    let ids: Vec<i64> = reports.iter().map(|report| report.lease.msg_id).collect();
    let rows: Vec<(i64, i32)> = q_interviews::table.filter(q_interviews::msg_id.eq_any(ids)).load(conn)?;
    Ok(rows.into_iter().map(|(msg_id, read_ct)| Lease { msg_id, read_ct }).collect())
}

/// Inserts answers. A request that failed for good under another delivery stays failed.
const INSERT_ANSWERS: &str = "
    INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, option_order, attempt, model,
        fingerprint, prompt_hash, latency_ms, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens,
        cache_write_tokens, distribution)
    SELECT $1, persona_id, question_id, answer, answer_value, option_order::smallint[], attempt, model,
        fingerprint, prompt_hash, latency_ms, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens,
        cache_write_tokens, distribution
    FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) AS new (persona_id, question_id,
        answer, answer_value, option_order, attempt, model, fingerprint, prompt_hash, latency_ms, prompt_tokens,
        cached_tokens, completion_tokens, reasoning_tokens, cache_write_tokens, distribution)
    WHERE NOT EXISTS (SELECT FROM request_failures AS failed WHERE failed.simulation_id = $1
        AND failed.persona_id = new.persona_id AND failed.question_id = new.question_id AND NOT failed.retrying)
    ON CONFLICT (simulation_id, persona_id, question_id) DO NOTHING";

/// Deletes the failures of requests that a retry pass has answered.
const CLEAR_FAILURES: &str = "
    DELETE FROM request_failures AS failed USING unnest($2, $3) AS answered (persona_id, question_id)
    WHERE failed.simulation_id = $1 AND failed.persona_id = answered.persona_id
        AND failed.question_id = answered.question_id AND failed.retrying";

/// Stores the answers that are not stored yet and returns how many rows that were.
pub(super) fn insert_answers(
    conn: &mut PgConnection,
    simulation_id: i64,
    reports: &[&InterviewReport],
) -> QueryResult<i32> {
    let rows: Vec<(i32, &NewAnswer)> =
        reports.iter().flat_map(|report| report.answers.iter().map(|answer| (report.persona_id, answer))).collect();
    if rows.is_empty() {
        return Ok(0);
    }
    let (persona_ids, question_ids) = keys(&rows, |answer| answer.question_id);
    let stored = sql_query(INSERT_ANSWERS)
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<Integer>, _>(&persona_ids)
        .bind::<Array<BigInt>, _>(&question_ids)
        .bind::<Array<Text>, _>(column(&rows, |row| row.answer.as_str()))
        .bind::<Array<Jsonb>, _>(column(&rows, |row| &row.answer_value))
        .bind::<Array<Nullable<Text>>, _>(column(&rows, |row| {
            row.provenance.option_order.as_deref().map(array_literal)
        }))
        .bind::<Array<SmallInt>, _>(column(&rows, |row| row.provenance.attempt))
        .bind::<Array<Text>, _>(column(&rows, |row| row.provenance.model.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(&rows, |row| row.provenance.fingerprint.as_deref()))
        .bind::<Array<Bytea>, _>(column(&rows, |row| row.provenance.prompt_hash.as_slice()))
        .bind::<Array<Nullable<Integer>>, _>(column(&rows, |row| row.provenance.latency_ms))
        .bind::<Array<Integer>, _>(column(&rows, |row| row.provenance.prompt_tokens))
        .bind::<Array<Integer>, _>(column(&rows, |row| row.provenance.cached_tokens))
        .bind::<Array<Integer>, _>(column(&rows, |row| row.provenance.completion_tokens))
        .bind::<Array<Integer>, _>(column(&rows, |row| row.provenance.reasoning_tokens))
        .bind::<Array<Integer>, _>(column(&rows, |row| row.provenance.cache_write_tokens))
        .bind::<Array<Nullable<Jsonb>>, _>(column(&rows, |row| row.distribution.as_ref()))
        .execute(conn)?;
    sql_query(CLEAR_FAILURES)
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<Integer>, _>(persona_ids)
        .bind::<Array<BigInt>, _>(question_ids)
        .execute(conn)?;
    Ok(stored as i32)
}

/// Inserts recipes of prompts. Requests that several deliveries asked may have had the same prompt.
const INSERT_PROMPTS: &str = "
    INSERT INTO prompts (simulation_id, prompt_hash, recipe) SELECT $1, prompt_hash, recipe
    FROM unnest($2, $3) AS new (prompt_hash, recipe) ON CONFLICT DO NOTHING";

/// Stores the recipes of unusual prompts.
pub(super) fn insert_prompts(
    conn: &mut PgConnection,
    simulation_id: i64,
    reports: &[&InterviewReport],
) -> QueryResult<()> {
    let prompts = || reports.iter().flat_map(|report| &report.prompts);
    if prompts().next().is_some() {
        sql_query(INSERT_PROMPTS)
            .bind::<BigInt, _>(simulation_id)
            .bind::<Array<Bytea>, _>(prompts().map(|prompt| prompt.hash.as_slice()).collect::<Vec<_>>())
            .bind::<Array<Jsonb>, _>(prompts().map(|prompt| &prompt.recipe).collect::<Vec<_>>())
            .execute(conn)?;
    }
    Ok(())
}

/// One value of every row, since PostgreSQL takes a batch as an array for each column.
fn column<'a, R, V>(rows: &[(i32, &'a R)], value: impl Fn(&'a R) -> V) -> Vec<V> {
    rows.iter().map(|(_, row)| value(row)).collect()
}

/// The persona and the question of every row.
fn keys<R>(rows: &[(i32, &R)], question_id: impl Fn(&R) -> i64) -> (Vec<i32>, Vec<i64>) {
    rows.iter().map(|(persona_id, row)| (*persona_id, question_id(row))).unzip()
}

/// An order as an array literal, since `unnest` flattens arrays of arrays.
fn array_literal(order: &[i16]) -> String {
    let positions: Vec<String> = order.iter().map(i16::to_string).collect();
    format!("{{{}}}", positions.join(","))
}

/// Inserts failures, except of answered requests. A failed request is counted again only in a retry pass.
const INSERT_FAILURES: &str = "
    INSERT INTO request_failures (simulation_id, persona_id, question_id, code, message, detail, attempts)
    SELECT $1, persona_id, question_id, code, message, detail, attempts
    FROM unnest($2, $3, $4, $5, $6, $7) AS new (persona_id, question_id, code, message, detail, attempts)
    WHERE NOT EXISTS (SELECT FROM responses AS answered WHERE answered.simulation_id = $1
        AND answered.persona_id = new.persona_id AND answered.question_id = new.question_id)
    ON CONFLICT (simulation_id, persona_id, question_id) DO UPDATE SET
        code = excluded.code, message = excluded.message, detail = excluded.detail,
        attempts = excluded.attempts, retrying = false, created_at = now()
    WHERE request_failures.retrying";

/// Records the failures that are not recorded yet and returns how many requests that were.
pub(super) fn insert_failures(
    conn: &mut PgConnection,
    simulation_id: i64,
    reports: &[&InterviewReport],
) -> QueryResult<i32> {
    let rows: Vec<(i32, &NewFailure)> =
        reports.iter().flat_map(|report| report.failures.iter().map(|failure| (report.persona_id, failure))).collect();
    if rows.is_empty() {
        return Ok(0);
    }
    let (persona_ids, question_ids) = keys(&rows, |failure| failure.question_id);
    let failed = sql_query(INSERT_FAILURES)
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<Integer>, _>(persona_ids)
        .bind::<Array<BigInt>, _>(question_ids)
        .bind::<Array<Text>, _>(column(&rows, |row| row.code))
        .bind::<Array<Text>, _>(column(&rows, |row| row.message.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(&rows, |row| row.detail.as_deref()))
        .bind::<Array<SmallInt>, _>(column(&rows, |row| row.attempts))
        .execute(conn)?;
    Ok(failed as i32)
}

/// Inserts hidden requests, except answered or failed ones, which were shown. A request that a retry pass finds hidden
/// is no longer a failed one.
const INSERT_NOT_SHOWN: &str = "
    WITH new AS (
        INSERT INTO not_shown (simulation_id, persona_id, question_id, reason)
        SELECT $1, persona_id, question_id, reason FROM unnest($2, $3, $4) AS new (persona_id, question_id, reason)
        WHERE NOT EXISTS (SELECT FROM responses AS answered WHERE answered.simulation_id = $1
                AND answered.persona_id = new.persona_id AND answered.question_id = new.question_id)
            AND NOT EXISTS (SELECT FROM request_failures AS failed WHERE failed.simulation_id = $1
                AND failed.persona_id = new.persona_id AND failed.question_id = new.question_id AND NOT failed.retrying)
        ON CONFLICT DO NOTHING RETURNING persona_id, question_id
    ), cleared AS (
        DELETE FROM request_failures AS failed USING new WHERE failed.simulation_id = $1
            AND failed.persona_id = new.persona_id AND failed.question_id = new.question_id
    )
    SELECT count(*) AS number FROM new";

#[derive(QueryableByName)]
struct Inserted {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Records the hidden requests that are not recorded yet and returns how many that were.
pub(super) fn insert_not_shown(
    conn: &mut PgConnection,
    simulation_id: i64,
    reports: &[&InterviewReport],
) -> QueryResult<i32> {
    let rows: Vec<(i32, &NotShown)> =
        reports.iter().flat_map(|report| report.not_shown.iter().map(|hidden| (report.persona_id, hidden))).collect();
    if rows.is_empty() {
        return Ok(0);
    }
    let (persona_ids, question_ids) = keys(&rows, |hidden| hidden.question_id);
    let inserted: Inserted = sql_query(INSERT_NOT_SHOWN)
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<Integer>, _>(persona_ids)
        .bind::<Array<BigInt>, _>(question_ids)
        .bind::<Array<Text>, _>(column(&rows, |row| row.reason.name()))
        .get_result(conn)?;
    Ok(inserted.number as i32)
}

/// Deletes the messages of the finished interviews. Like every statement that takes several messages, it locks them by
/// id.
const ACKNOWLEDGE: &str = "
    WITH done AS (
        SELECT msg_id FROM pgmq.q_interviews JOIN unnest($1, $2) AS held (msg_id, read_ct) USING (msg_id, read_ct)
        ORDER BY msg_id FOR UPDATE OF q_interviews)
    DELETE FROM pgmq.q_interviews AS message USING done WHERE message.msg_id = done.msg_id";

/// Removes these interviews from the queue.
pub(super) fn acknowledge(conn: &mut PgConnection, reports: &[&InterviewReport]) -> QueryResult<()> {
    let (msg_ids, read_cts): (Vec<i64>, Vec<i32>) =
        reports.iter().map(|report| (report.lease.msg_id, report.lease.read_ct)).unzip();
    if !msg_ids.is_empty() {
        sql_query(ACKNOWLEDGE).bind::<Array<BigInt>, _>(msg_ids).bind::<Array<Integer>, _>(read_cts).execute(conn)?;
    }
    Ok(())
}

/// Inserts models until there are ten: a server may name another fingerprint in every answer.
const INSERT_MODELS: &str = "
    INSERT INTO simulation_models (simulation_id, model, fingerprint)
    SELECT $1, model, fingerprint FROM unnest($2, $3) AS named (model, fingerprint)
    WHERE (SELECT count(*) FROM simulation_models WHERE simulation_id = $1) < 10
    ON CONFLICT DO NOTHING";

/// Records the models and fingerprints that the server named in these answers.
pub(super) fn insert_models(
    conn: &mut PgConnection,
    simulation_id: i64,
    reports: &[&InterviewReport],
) -> QueryResult<()> {
    let answers = reports.iter().flat_map(|report| &report.answers);
    let named: HashSet<(&str, Option<&str>)> = answers
        .map(|NewAnswer { provenance, .. }| (provenance.model.as_str(), provenance.fingerprint.as_deref()))
        .collect();
    if named.is_empty() {
        return Ok(());
    }
    let (models, fingerprints): (Vec<&str>, Vec<Option<&str>>) = named.into_iter().take(10).unzip();
    sql_query(INSERT_MODELS)
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<Text>, _>(models)
        .bind::<Array<Nullable<Text>>, _>(fingerprints)
        .execute(conn)?;
    Ok(())
}
