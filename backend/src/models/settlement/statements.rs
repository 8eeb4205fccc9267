//! The statements that take a whole batch, as arrays: diesel's query builder cannot say them.

use std::collections::HashSet;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{Array, BigInt, Bytea, HasSqlType, Integer, Jsonb, Nullable, SmallInt, Text};

use super::Report;
use crate::models::queue::Lease;

diesel::table! {
    pgmq.q_interviews (msg_id) {
        msg_id -> Int8,
        read_ct -> Int4,
    }
}

/// Which of the reports' leases are still their holders'. Not locked: the run's lock already keeps two settlements
/// apart, and whoever takes a lease over meanwhile finds this batch's rows stored.
pub(super) fn held(conn: &mut PgConnection, reports: &[Report]) -> QueryResult<HashSet<Lease>> {
    let ids: Vec<i64> = reports.iter().map(|report| report.lease.msg_id).collect();
    let rows: Vec<(i64, i32)> = q_interviews::table.filter(q_interviews::msg_id.eq_any(ids)).load(conn)?;
    Ok(rows.into_iter().map(|(msg_id, read_ct)| Lease { msg_id, read_ct }).collect())
}

struct InsertAnswers<'a> {
    simulation_id: i64,
    persona_ids: Vec<i32>,
    question_ids: Vec<i64>,
    answers: Vec<&'a str>,
    values: Vec<&'a serde_json::Value>,
    orders: Vec<Option<String>>,
    attempts: Vec<i16>,
    models: Vec<&'a str>,
    fingerprints: Vec<Option<&'a str>>,
    hashes: Vec<&'a [u8]>,
    latencies: Vec<i32>,
    prompt_tokens: Vec<i32>,
    cached_tokens: Vec<i32>,
    completion_tokens: Vec<i32>,
    /// The run has had failures: a success clears the mark of being asked again, and a request that failed for good
    /// under another delivery stays failed.
    heed_failures: bool,
}

impl QueryFragment<Pg> for InsertAnswers<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, option_order, attempt,
                 model, fingerprint, prompt_hash, latency_ms, prompt_tokens, cached_tokens, completion_tokens)
             SELECT ",
        );
        out.push_bind_param::<BigInt, _>(&self.simulation_id)?;
        out.push_sql(
            ", persona_id, question_id, answer, answer_value, option_order::smallint[], attempt, model, fingerprint,
                 prompt_hash, latency_ms, prompt_tokens, cached_tokens, completion_tokens FROM (SELECT ",
        );
        unnest::<Integer, _>(&mut out, &self.persona_ids, " AS persona_id, ")?;
        unnest::<BigInt, _>(&mut out, &self.question_ids, " AS question_id, ")?;
        unnest::<Text, _>(&mut out, &self.answers, " AS answer, ")?;
        unnest::<Jsonb, _>(&mut out, &self.values, " AS answer_value, ")?;
        unnest::<Nullable<Text>, _>(&mut out, &self.orders, " AS option_order, ")?;
        unnest::<SmallInt, _>(&mut out, &self.attempts, " AS attempt, ")?;
        unnest::<Text, _>(&mut out, &self.models, " AS model, ")?;
        unnest::<Nullable<Text>, _>(&mut out, &self.fingerprints, " AS fingerprint, ")?;
        unnest::<Bytea, _>(&mut out, &self.hashes, " AS prompt_hash, ")?;
        unnest::<Integer, _>(&mut out, &self.latencies, " AS latency_ms, ")?;
        unnest::<Integer, _>(&mut out, &self.prompt_tokens, " AS prompt_tokens, ")?;
        unnest::<Integer, _>(&mut out, &self.cached_tokens, " AS cached_tokens, ")?;
        unnest::<Integer, _>(&mut out, &self.completion_tokens, " AS completion_tokens) AS new")?;
        if self.heed_failures {
            out.push_sql(" WHERE NOT EXISTS (SELECT FROM request_failures AS failed WHERE failed.simulation_id = ");
            out.push_bind_param::<BigInt, _>(&self.simulation_id)?;
            out.push_sql(
                " AND failed.persona_id = new.persona_id AND failed.question_id = new.question_id
                  AND NOT failed.retrying)",
            );
        }
        out.push_sql(" ON CONFLICT (simulation_id, persona_id, question_id) DO NOTHING");
        Ok(())
    }
}

kept_by_text!(InsertAnswers);

/// A column of a SELECT, as it is called there. In a FROM, `unnest` would keep each array's elements in a store of its
/// own before it puts them side by side.
fn unnest<'b, T: 'static, V: ToSql<Array<T>, Pg>>(
    out: &mut AstPass<'_, 'b, Pg>,
    values: &'b V,
    name: &str,
) -> QueryResult<()>
where
    Pg: HasSqlType<Array<T>>,
{
    out.push_sql("unnest(");
    out.push_bind_param::<Array<T>, _>(values)?;
    out.push_sql(")");
    out.push_sql(name);
    Ok(())
}

/// Stores what is not stored yet and returns how many rows that were.
pub(super) fn insert_answers(
    conn: &mut PgConnection,
    simulation_id: i64,
    reports: &[&Report],
    heed_failures: bool,
) -> QueryResult<i32> {
    let rows =
        || reports.iter().flat_map(|report| report.answers.iter().map(move |answer| (report.persona_id, answer)));
    if rows().next().is_none() {
        return Ok(0);
    }
    let insert = InsertAnswers {
        simulation_id,
        persona_ids: rows().map(|(persona_id, _)| persona_id).collect(),
        question_ids: rows().map(|(_, row)| row.question_id).collect(),
        answers: rows().map(|(_, row)| row.answer.as_str()).collect(),
        values: rows().map(|(_, row)| &row.answer_value).collect(),
        orders: rows().map(|(_, row)| row.option_order.as_deref().map(array_literal)).collect(),
        attempts: rows().map(|(_, row)| row.attempt).collect(),
        models: rows().map(|(_, row)| row.model.as_str()).collect(),
        fingerprints: rows().map(|(_, row)| row.fingerprint.as_deref()).collect(),
        hashes: rows().map(|(_, row)| row.prompt_hash.as_slice()).collect(),
        latencies: rows().map(|(_, row)| row.latency_ms).collect(),
        prompt_tokens: rows().map(|(_, row)| row.prompt_tokens).collect(),
        cached_tokens: rows().map(|(_, row)| row.cached_tokens).collect(),
        completion_tokens: rows().map(|(_, row)| row.completion_tokens).collect(),
        heed_failures,
    };
    let stored = (&insert).execute(conn)? as i32;
    if heed_failures {
        let clear =
            ClearFailures { simulation_id, persona_ids: &insert.persona_ids, question_ids: &insert.question_ids };
        (&clear).execute(conn)?;
    }
    Ok(stored)
}

/// unnest flattens arrays of arrays, so the orders travel as array literals.
fn array_literal(order: &[i16]) -> String {
    let positions: Vec<String> = order.iter().map(i16::to_string).collect();
    format!("{{{}}}", positions.join(","))
}

struct ClearFailures<'a> {
    simulation_id: i64,
    persona_ids: &'a [i32],
    question_ids: &'a [i64],
}

impl QueryFragment<Pg> for ClearFailures<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("DELETE FROM request_failures AS failed USING unnest(");
        out.push_bind_param::<Array<Integer>, _>(&self.persona_ids)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.question_ids)?;
        out.push_sql(") AS answered (persona_id, question_id) WHERE failed.simulation_id = ");
        out.push_bind_param::<BigInt, _>(&self.simulation_id)?;
        out.push_sql(
            " AND failed.persona_id = answered.persona_id AND failed.question_id = answered.question_id
              AND failed.retrying",
        );
        Ok(())
    }
}

kept_by_text!(ClearFailures);

struct InsertFailures<'a> {
    simulation_id: i64,
    persona_ids: Vec<i32>,
    question_ids: Vec<i64>,
    codes: Vec<&'a str>,
    messages: Vec<&'a str>,
    details: Vec<Option<&'a str>>,
    attempts: Vec<i16>,
}

impl QueryFragment<Pg> for InsertFailures<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO request_failures (simulation_id, persona_id, question_id, code, message, detail, attempts)
             SELECT ",
        );
        out.push_bind_param::<BigInt, _>(&self.simulation_id)?;
        out.push_sql(", persona_id, question_id, code, message, detail, attempts FROM unnest(");
        out.push_bind_param::<Array<Integer>, _>(&self.persona_ids)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.question_ids)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.codes)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.messages)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Text>>, _>(&self.details)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SmallInt>, _>(&self.attempts)?;
        out.push_sql(
            ") AS new (persona_id, question_id, code, message, detail, attempts)
             WHERE NOT EXISTS (SELECT FROM responses AS answered WHERE answered.simulation_id = ",
        );
        out.push_bind_param::<BigInt, _>(&self.simulation_id)?;
        out.push_sql(
            " AND answered.persona_id = new.persona_id AND answered.question_id = new.question_id)
             ON CONFLICT (simulation_id, persona_id, question_id) DO UPDATE SET
                 code = excluded.code, message = excluded.message, detail = excluded.detail,
                 attempts = excluded.attempts, retrying = false, created_at = now()
             WHERE request_failures.retrying",
        );
        Ok(())
    }
}

kept_by_text!(InsertFailures);

/// Records what failed and is not recorded yet and returns how many requests that were.
pub(super) fn insert_failures(conn: &mut PgConnection, simulation_id: i64, reports: &[&Report]) -> QueryResult<i32> {
    let rows = || reports.iter().flat_map(|report| report.failures.iter().map(move |row| (report.persona_id, row)));
    if rows().next().is_none() {
        return Ok(0);
    }
    let insert = InsertFailures {
        simulation_id,
        persona_ids: rows().map(|(persona_id, _)| persona_id).collect(),
        question_ids: rows().map(|(_, row)| row.question_id).collect(),
        codes: rows().map(|(_, row)| row.code).collect(),
        messages: rows().map(|(_, row)| row.message.as_str()).collect(),
        details: rows().map(|(_, row)| row.detail.as_deref()).collect(),
        attempts: rows().map(|(_, row)| row.attempts).collect(),
    };
    Ok((&insert).execute(conn)? as i32)
}

#[derive(QueryId)]
struct Acknowledge {
    msg_ids: Vec<i64>,
    read_cts: Vec<i32>,
}

impl QueryFragment<Pg> for Acknowledge {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // Locked in the order of their ids, as by every statement that takes several messages.
        out.push_sql("WITH done AS (SELECT msg_id FROM pgmq.q_interviews JOIN unnest(");
        out.push_bind_param::<Array<BigInt>, _>(&self.msg_ids)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.read_cts)?;
        out.push_sql(
            ") AS held (msg_id, read_ct) USING (msg_id, read_ct) ORDER BY msg_id FOR UPDATE OF q_interviews)
             DELETE FROM pgmq.q_interviews AS message USING done WHERE message.msg_id = done.msg_id",
        );
        Ok(())
    }
}

impl RunQueryDsl<PgConnection> for Acknowledge {}

/// Takes the finished interviews out of the queue.
pub(super) fn acknowledge(conn: &mut PgConnection, reports: &[&Report]) -> QueryResult<()> {
    let (msg_ids, read_cts): (Vec<i64>, Vec<i32>) = reports
        .iter()
        .filter(|report| report.finished)
        .map(|report| (report.lease.msg_id, report.lease.read_ct))
        .unzip();
    if !msg_ids.is_empty() {
        Acknowledge { msg_ids, read_cts }.execute(conn)?;
    }
    Ok(())
}
