//! Calls of runs that ask through the model server's Batch API, and the batches that carry them.
//!
//! An interview of such a run waits for one call at a time, which is a row of `batch_calls`. The settlement that writes the
//! row takes the interview's message out of the queue. The next batch carries the row; when the batch has ended, the row
//! has its reply, and the interview a message again. Who claims it reads the reply as if the model server had just sent it.
//!
//! Each change is made under the lock of the run's row, as settlements are. What a batch is at the server is written down
//! step by step: its file before it is submitted, and its id as soon as that is known.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::models::queue;
use crate::models::simulations::{self, SimulationRefusal, Status};
use crate::schema::{self, batch_calls, simulation_batches};

/// A batch of a run that has not ended.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = simulation_batches, check_for_backend(diesel::pg::Pg))]
pub struct RunBatch {
    pub simulation_id: i64,
    /// From 1, in the run.
    pub number: i32,
    pub token: Uuid,
    pub calls: i32,
    /// `None`: not uploaded yet.
    pub input_file_id: Option<String>,
    /// `None`: not submitted, as far as is known.
    pub batch_id: Option<String>,
    /// The server was asked to cancel it, because the run was stopped.
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// The call that an interview waits for.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = batch_calls, check_for_backend(diesel::pg::Pg))]
pub struct WaitingCall {
    persona_id: i32,
    pub prompt_hash: Vec<u8>,
    pub state: serde_json::Value,
    /// A line of the batch's results, as the server wrote it. `None`: it has not come.
    pub reply: Option<String>,
}

/// A call as a batch's file has it.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = batch_calls, check_for_backend(diesel::pg::Pg))]
pub struct BatchCall {
    pub persona_id: i32,
    pub prompt_hash: Vec<u8>,
    pub body_rest: String,
}

/// A line of a batch's results.
#[derive(Clone, Debug)]
pub struct BatchReply {
    pub persona_id: i32,
    /// Of the call's prompt, as hex.
    pub prompt_hash: String,
    pub line: String,
}

/// Attends to a run's batches, unless another session does. It ends with the session.
pub async fn attend(session: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<bool> {
    let taken: Ready = sql_query("SELECT pg_try_advisory_lock(hashtextextended('batches ' || $1, 0)) AS ready")
        .bind::<BigInt, _>(simulation_id)
        .get_result(session)
        .await?;
    Ok(taken.ready)
}

/// The calls that these interviews wait for.
pub async fn waiting(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    personas: &[i32],
) -> QueryResult<HashMap<i32, WaitingCall>> {
    let calls: Vec<WaitingCall> = batch_calls::table
        .filter(batch_calls::simulation_id.eq(simulation_id))
        .filter(batch_calls::persona_id.eq_any(personas))
        .select(WaitingCall::as_select())
        .load(conn)
        .await?;
    Ok(calls.into_iter().map(|call| (call.persona_id, call)).collect())
}

/// The run's batches that have not ended, in the order of their numbers.
pub async fn open(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<Vec<RunBatch>> {
    simulation_batches::table
        .filter(simulation_batches::simulation_id.eq(simulation_id))
        .filter(simulation_batches::ended_at.is_null())
        .order(simulation_batches::number)
        .select(RunBatch::as_select())
        .load(conn)
        .await
}

/// The batches that have not ended although their run has, and that nobody was asked to cancel.
pub async fn left_over(conn: &mut AsyncPgConnection) -> QueryResult<Vec<RunBatch>> {
    let over = schema::simulations::table
        .filter(schema::simulations::status.eq_any(["STOPPED", "COMPLETED", "FAILED"]))
        .select(schema::simulations::id);
    simulation_batches::table
        .filter(simulation_batches::ended_at.is_null())
        .filter(simulation_batches::cancelled_at.is_null())
        .filter(simulation_batches::simulation_id.eq_any(over))
        .order((simulation_batches::simulation_id, simulation_batches::number))
        .select(RunBatch::as_select())
        .load(conn)
        .await
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = Integer)]
    number: i32,
}

#[derive(QueryableByName)]
struct Ready {
    #[diesel(sql_type = Bool)]
    ready: bool,
}

/// Whether calls wait for a batch, and no interview may add to them soon, or there are enough.
const READY: &str = "
    SELECT EXISTS (SELECT FROM batch_calls WHERE simulation_id = $1 AND number IS NULL)
        AND (NOT EXISTS (SELECT FROM pgmq.q_interviews WHERE message @> jsonb_build_object('simulation', $1))
            OR (SELECT count(*) FROM batch_calls WHERE simulation_id = $1 AND number IS NULL) >= $2) AS ready";

/// Puts waiting calls into a new batch, as many as it takes, in the order of their twins. The first goes in whatever its
/// size.
const COLLECT: &str = "
    WITH wanted AS (
        SELECT persona_id, row_number() OVER earlier AS line, sum(bytes) OVER earlier AS size
        FROM batch_calls WHERE simulation_id = $1 AND number IS NULL
        WINDOW earlier AS (ORDER BY persona_id ROWS UNBOUNDED PRECEDING)
    ), chosen AS (
        SELECT persona_id FROM wanted WHERE line <= $2 AND (size <= $3 OR line = 1)
    ), batch AS (
        INSERT INTO simulation_batches (simulation_id, number, calls)
        SELECT $1, 1 + coalesce((SELECT max(number) FROM simulation_batches WHERE simulation_id = $1), 0), count(*)
        FROM chosen HAVING count(*) > 0 RETURNING number
    ), carried AS (
        UPDATE batch_calls AS call SET number = batch.number FROM chosen, batch
        WHERE call.simulation_id = $1 AND call.persona_id = chosen.persona_id
    )
    SELECT number FROM batch";

/// Makes a batch of the calls that wait for one, if the run goes on and all its interviews wait. `None`: there is nothing
/// to send now.
pub async fn collect(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    max_calls: i64,
    max_bytes: i64,
) -> Result<Option<RunBatch>, SimulationRefusal> {
    let is_ready = async |conn: &mut AsyncPgConnection| {
        let found: Ready =
            sql_query(READY).bind::<BigInt, _>(simulation_id).bind::<BigInt, _>(max_calls).get_result(conn).await?;
        QueryResult::Ok(found.ready)
    };
    // Without the lock, which settlements need.
    if !is_ready(conn).await? {
        return Ok(None);
    }
    conn.transaction(async |conn| {
        let run = simulations::lock(conn, simulation_id).await?;
        if !matches!(run.status, Status::Queued | Status::Running) || !is_ready(conn).await? {
            return Ok(None);
        }
        let made: Option<Number> = sql_query(COLLECT)
            .bind::<BigInt, _>(simulation_id)
            .bind::<BigInt, _>(max_calls)
            .bind::<BigInt, _>(max_bytes)
            .get_result(conn)
            .await
            .optional()?;
        let Some(Number { number }) = made else { return Ok(None) };
        let batch = simulation_batches::table.find((simulation_id, number)).select(RunBatch::as_select());
        Ok(Some(batch.first(conn).await?))
    })
    .await
}

/// The batch's calls after this persona, in the order of their personas.
pub async fn calls(
    conn: &mut AsyncPgConnection,
    batch: &RunBatch,
    after: i32,
    limit: i64,
) -> QueryResult<Vec<BatchCall>> {
    batch_calls::table
        .filter(batch_calls::simulation_id.eq(batch.simulation_id))
        .filter(batch_calls::number.eq(batch.number))
        .filter(batch_calls::persona_id.gt(after))
        .order(batch_calls::persona_id)
        .limit(limit)
        .select(BatchCall::as_select())
        .load(conn)
        .await
}

/// Notes the batch's file. `None`: the server has it no more.
pub async fn set_file(conn: &mut AsyncPgConnection, batch: &RunBatch, file: Option<&str>) -> QueryResult<()> {
    diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
        .set(simulation_batches::input_file_id.eq(file))
        .execute(conn)
        .await
        .map(drop)
}

/// Notes the batch's id at the server.
pub async fn set_id(conn: &mut AsyncPgConnection, batch: &RunBatch, id: &str) -> QueryResult<()> {
    diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
        .set((
            simulation_batches::batch_id.eq(id),
            simulation_batches::submitted_at.eq(diesel::dsl::now),
            // What is submitted anew after a stop was not cancelled.
            simulation_batches::cancelled_at.eq(None::<DateTime<Utc>>),
            simulation_batches::trouble.eq(None::<String>),
        ))
        .execute(conn)
        .await
        .map(drop)
}

/// Notes what the server says of a batch, and that the run is under way.
pub async fn note_progress(conn: &mut AsyncPgConnection, batch: &RunBatch, status: &str, done: i32) -> QueryResult<()> {
    diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
        .set((
            simulation_batches::server_status.eq(status),
            simulation_batches::calls_done.eq(done),
            simulation_batches::trouble.eq(None::<String>),
        ))
        .execute(conn)
        .await?;
    sql_query(
        "UPDATE simulations SET status = 'RUNNING', started_at = coalesce(started_at, now()), updated_at = now()
         WHERE id = $1 AND status = 'QUEUED'",
    )
    .bind::<BigInt, _>(batch.simulation_id)
    .execute(conn)
    .await
    .map(drop)
}

/// Notes why the batch does not go on.
pub async fn note_trouble(conn: &mut AsyncPgConnection, batch: &RunBatch, trouble: &str) -> QueryResult<()> {
    diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
        .set(simulation_batches::trouble.eq(trouble.replace('\0', "")))
        .execute(conn)
        .await
        .map(drop)
}

/// Notes that the server was asked to cancel the batch.
pub async fn note_cancelled(conn: &mut AsyncPgConnection, batch: &RunBatch) -> QueryResult<()> {
    diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
        .set(simulation_batches::cancelled_at.eq(diesel::dsl::now))
        .execute(conn)
        .await
        .map(drop)
}

/// A call that was answered before, or that another batch carries, takes no reply.
const STORE_REPLIES: &str = "
    UPDATE batch_calls AS call SET reply = new.reply
    FROM unnest($3, $4, $5) AS new (persona_id, prompt_hash, reply)
    WHERE call.simulation_id = $1 AND call.number = $2 AND call.persona_id = new.persona_id
        AND encode(call.prompt_hash, 'hex') = new.prompt_hash AND call.reply IS NULL";

/// Stores replies of the batch. The interviews hear of them when it [ends](end).
pub async fn store_replies(
    conn: &mut AsyncPgConnection,
    batch: &RunBatch,
    replies: &[BatchReply],
) -> Result<(), SimulationRefusal> {
    conn.transaction(async |conn| {
        simulations::lock(conn, batch.simulation_id).await?;
        sql_query(STORE_REPLIES)
            .bind::<BigInt, _>(batch.simulation_id)
            .bind::<Integer, _>(batch.number)
            .bind::<Array<Integer>, _>(replies.iter().map(|reply| reply.persona_id).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(replies.iter().map(|reply| reply.prompt_hash.as_str()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(replies.iter().map(|reply| reply.line.as_str()).collect::<Vec<_>>())
            .execute(conn)
            .await?;
        Ok(())
    })
    .await
}

/// What becomes of the calls of an ended batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered<'a> {
    /// The next batch carries them; it costs them nothing.
    AskAgain,
    /// This is their reply.
    Reply(&'a str),
    /// The same, and what has a reply is asked again too.
    AskAllAgain,
}

const AWAKE: &str = "
    SELECT persona_id AS number FROM batch_calls
    WHERE simulation_id = $1 AND number = $2 AND reply IS NOT NULL
        AND persona_id NOT IN (SELECT (message ->> 'persona')::integer FROM pgmq.q_interviews
            WHERE message @> jsonb_build_object('simulation', $1))
    ORDER BY persona_id";

/// Ends a batch whose replies are stored: its interviews have a message again, or their calls wait for another batch.
pub async fn end(
    conn: &mut AsyncPgConnection,
    batch: &RunBatch,
    unanswered: Unanswered<'_>,
) -> Result<(), SimulationRefusal> {
    let carried = || {
        batch_calls::table
            .filter(batch_calls::simulation_id.eq(batch.simulation_id))
            .filter(batch_calls::number.eq(batch.number))
    };
    let (no_number, no_reply) = (batch_calls::number.eq(None::<i32>), batch_calls::reply.eq(None::<String>));
    conn.transaction(async |conn| {
        let run = simulations::lock(conn, batch.simulation_id).await?;
        let unanswered_calls = carried().filter(batch_calls::reply.is_null());
        match unanswered {
            Unanswered::AskAgain => diesel::update(unanswered_calls).set(no_number).execute(conn).await?,
            Unanswered::Reply(reply) => {
                diesel::update(unanswered_calls).set(batch_calls::reply.eq(reply)).execute(conn).await?
            }
            Unanswered::AskAllAgain => diesel::update(carried()).set((no_number, no_reply)).execute(conn).await?,
        };
        if !run.status.is_over() {
            let awake: Vec<Number> = sql_query(AWAKE)
                .bind::<BigInt, _>(batch.simulation_id)
                .bind::<Integer, _>(batch.number)
                .load(conn)
                .await?;
            let personas: Vec<i32> = awake.into_iter().map(|row| row.number).collect();
            if !personas.is_empty() {
                queue::send(conn, batch.simulation_id, &personas).await?;
            }
        }
        diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
            .set((simulation_batches::ended_at.eq(diesel::dsl::now), simulation_batches::trouble.eq(None::<String>)))
            .execute(conn)
            .await?;
        Ok(queue::notify_workers(conn).await?)
    })
    .await
}

/// Of a run that begins another pass: forgets the calls of interviews that it does not ask.
pub async fn forget_others(conn: &mut AsyncPgConnection, simulation_id: i64, asked: &[i32]) -> QueryResult<()> {
    diesel::delete(batch_calls::table)
        .filter(batch_calls::simulation_id.eq(simulation_id))
        .filter(batch_calls::persona_id.ne_all(asked))
        .execute(conn)
        .await
        .map(drop)
}
