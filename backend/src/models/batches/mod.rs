//! Batches of the model server's Batch API, and the calls that they carry.
//!
//! An interview of such a run waits for one call at a time, a row of `batch_calls`. The settlement that writes the row
//! takes the interview's message out of the queue. The next batch carries the call. When the batch has ended, the row
//! has its reply and the interview a message again; the worker that claims it reads the reply as if the model server
//! had just sent it.
//!
//! Each change is made under the lock of the run's row, like a settlement. The steps of a batch at the server are
//! stored one by one: its file before it is submitted, and its id as soon as it is known.
//!
//! This file has the rows and the steps of one batch. [`collect`] makes batches, [`replies`] ends them, and
//! [`cancellation`] handles those of runs that are over.

mod cancellation;
mod collect;
mod replies;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

pub use self::cancellation::{LeftOver, left_over, note_cancelled, note_withdrawn};
pub use self::collect::{BatchSize, collect};
pub use self::replies::{BatchReply, Unanswered, end, forget_others, release, store_replies};
use crate::schema::{batch_calls, simulation_batches};

/// A batch of a run that has not ended.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = simulation_batches, check_for_backend(diesel::pg::Pg))]
pub struct RunBatch {
    pub simulation_id: i64,
    /// Number within the run, from 1.
    pub number: i32,
    pub token: Uuid,
    pub calls: i32,
    /// `None`: not uploaded yet.
    pub input_file_id: Option<String>,
    /// `None`: not submitted, as far as is known.
    pub batch_id: Option<String>,
    /// When the server was asked to cancel it because the run is over.
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// The call that an interview waits for.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = batch_calls, check_for_backend(diesel::pg::Pg))]
pub struct WaitingCall {
    persona_id: i32,
    pub prompt_hash: Vec<u8>,
    pub state: serde_json::Value,
    /// A line of the batch's results, as the server wrote it. `None`: the reply has not arrived.
    pub reply: Option<String>,
}

/// A call, as a batch's file holds it.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = batch_calls, check_for_backend(diesel::pg::Pg))]
pub struct BatchCall {
    pub persona_id: i32,
    pub prompt_hash: Vec<u8>,
    pub body_rest: String,
}

/// Takes the lock on a run's batches until the session ends. `false`: another session has it.
pub async fn try_lock(session: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<bool> {
    let taken: Ready = sql_query("SELECT pg_try_advisory_lock(hashtextextended('batches ' || $1, 0)) AS ready")
        .bind::<BigInt, _>(simulation_id)
        .get_result(session)
        .await?;
    Ok(taken.ready)
}

/// Returns the calls that these interviews wait for, by persona.
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

/// Returns the run's batches that have not ended, by number.
pub async fn open(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<Vec<RunBatch>> {
    simulation_batches::table
        .filter(simulation_batches::simulation_id.eq(simulation_id))
        .filter(simulation_batches::ended_at.is_null())
        .order(simulation_batches::number)
        .select(RunBatch::as_select())
        .load(conn)
        .await
}

#[derive(QueryableByName)]
struct Ready {
    #[diesel(sql_type = Bool)]
    ready: bool,
}

/// Returns the batch's calls after this persona, by persona.
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

/// Notes the batch's file. `None`: the server no longer has it.
pub async fn set_file(conn: &mut AsyncPgConnection, batch: &RunBatch, file: Option<&str>) -> QueryResult<()> {
    diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
        .set((
            simulation_batches::input_file_id.eq(file),
            // The batch is about to be submitted: if its run is over, it must be cancelled again.
            simulation_batches::cancelled_at.eq(None::<DateTime<Utc>>),
        ))
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
            // Same reason as in [`set_file`].
            simulation_batches::cancelled_at.eq(None::<DateTime<Utc>>),
            simulation_batches::trouble.eq(None::<String>),
        ))
        .execute(conn)
        .await
        .map(drop)
}

/// Notes the server's status of a batch, and that the run is under way.
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

/// Notes why the batch is stuck.
pub async fn note_trouble(conn: &mut AsyncPgConnection, batch: &RunBatch, trouble: &str) -> QueryResult<()> {
    diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
        .set(simulation_batches::trouble.eq(trouble.replace('\0', "")))
        .execute(conn)
        .await
        .map(drop)
}
