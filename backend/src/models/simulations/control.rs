//! State changes that users request: execute, pause, resume, stop. [`passes`](super::passes) begins another pass.
//!
//! Each changes the row under its lock and notifies the workers, which read the row. Locks are taken in the order run,
//! member, queue.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;
use simulation::status::Status;

use super::{SimulationRefusal, costs, lock};
use crate::models::group_members;
use crate::models::study_plans::deviations;
use crate::models::{mail_triggers, queue};
use crate::schema::simulations;

/// The error code of a run whose command ended before it.
pub const COMMAND_ENDED: &str = "command_ended";

/// The error code of a run that was active in a database that was restored.
pub const RESTORED: &str = "restored";

/// The error code of a run whose member was suspended.
pub const MEMBER_SUSPENDED: &str = "member_suspended";

/// The error code of a run that is to ask in batches although its model server has no Batch API.
pub const NO_BATCH_API: &str = "no_batch_api";

/// The error code of a run whose model does not take one of its parameters.
pub const PARAMETER_REFUSED: &str = "parameter_refused";

/// The error code of a run whose calls all timed out.
pub const TIMED_OUT: &str = "timed_out";

/// The error code of a run whose group's key for the model server is gone or cannot be read.
pub const MODEL_KEY: &str = "model_key";

/// Error codes of pauses during which the model server had refused no request.
pub(super) const NOTHING_REFUSED: [&str; 7] =
    [COMMAND_ENDED, RESTORED, MEMBER_SUSPENDED, costs::COST_CAP, NO_BATCH_API, TIMED_OUT, MODEL_KEY];

/// Clears the reason of a pause; $2 is [`NOTHING_REFUSED`]. The message stays if requests were refused: it shows that
/// some failed at first.
pub(super) const FORGET_PAUSE: &str = "error_code = NULL,
    error_message = CASE WHEN attempt > 1 OR error_code <> ALL($2) THEN error_message END";

/// `PENDING → QUEUED`. A queued or running run stays as it is.
pub async fn execute(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| match lock(conn, id).await?.status {
        Status::Pending => set_status(conn, id, Status::Queued).await,
        Status::Queued | Status::Running => lock(conn, id).await,
        status => Err(SimulationRefusal::WrongState { status, action: "executed" }),
    })
    .await
}

/// `QUEUED, RUNNING → PAUSED`: running calls finish and count, and no new one starts.
pub async fn pause(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| match lock(conn, id).await?.status {
        Status::Queued | Status::Running => set_status(conn, id, Status::Paused).await,
        status => Err(SimulationRefusal::WrongState { status, action: "paused" }),
    })
    .await
}

/// Pauses the run $1 with the error code $2 and the message $3. A run that is neither queued nor running stays as it
/// is.
pub const PAUSE_BECAUSE: &str = "
    UPDATE simulations SET status = 'PAUSED', error_code = $2, error_message = $3, updated_at = now()
    WHERE id = $1 AND status IN ('QUEUED', 'RUNNING')";

/// Pauses a run after an error that would fail all its requests. A run whose status has changed meanwhile stays as it
/// is.
pub async fn pause_because(conn: &mut AsyncPgConnection, id: i64, code: &str, message: &str) -> QueryResult<()> {
    conn.transaction(async |conn| {
        let paused = sql_query(PAUSE_BECAUSE)
            .bind::<BigInt, _>(id)
            .bind::<Text, _>(code)
            // The message may quote the server, and PostgreSQL's text cannot hold NUL.
            .bind::<Text, _>(message.replace('\0', ""))
            .execute(conn)
            .await?;
        if paused > 0 {
            sql_query(mail_triggers::RUN_PAUSED).bind::<BigInt, _>(id).execute(conn).await?;
        }
        queue::notify_workers(conn).await
    })
    .await
}

/// `PAUSED → QUEUED`: continues with the open requests.
pub async fn resume(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| match lock(conn, id).await? {
        run @ Simulation { status: Status::Paused, .. } => {
            if !group_members::is_active_member(conn, run.group_id, run.user_id).await? {
                return Err(SimulationRefusal::MemberSuspended);
            }
            costs::refuse_above_cap(conn, &run).await?;
            sql_query(format!(
                "UPDATE simulations SET status = 'QUEUED', {FORGET_PAUSE}, updated_at = now() WHERE id = $1"
            ))
            .bind::<BigInt, _>(id)
            .bind::<Array<Text>, _>(NOTHING_REFUSED.as_slice())
            .execute(conn)
            .await?;
            queue::notify_workers(conn).await?;
            lock(conn, id).await
        }
        Simulation { status, .. } => Err(SimulationRefusal::WrongState { status, action: "resumed" }),
    })
    .await
}

/// Ends an active run: answers stay, unspent held credits are released, requests of a retry count as failed again.
pub async fn stop(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let run = lock(conn, id).await?;
        if run.status.is_over() {
            return Err(SimulationRefusal::WrongState { status: run.status, action: "stopped" });
        }
        sql_query("UPDATE group_members SET held = held - $3, updated_at = now() WHERE group_id = $1 AND user_id = $2")
            .bind::<BigInt, _>(run.group_id)
            .bind::<BigInt, _>(run.user_id)
            .bind::<BigInt, _>(run.held)
            .execute(conn)
            .await?;
        queue::discard(conn, id).await?;
        let again = sql_query("UPDATE request_failures SET retrying = false WHERE simulation_id = $1 AND retrying")
            .bind::<BigInt, _>(id)
            .execute(conn)
            .await?;
        sql_query(
            "UPDATE simulations SET status = 'STOPPED', held = 0, open_requests = 0,
                 failed_requests = failed_requests + $2, completed_at = now(), updated_at = now() WHERE id = $1",
        )
        .bind::<BigInt, _>(id)
        .bind::<Integer, _>(again as i32)
        .execute(conn)
        .await?;
        queue::notify_workers(conn).await?;
        let stopped = lock(conn, id).await?;
        deviations::note_stop(conn, &stopped).await?;
        Ok(stopped)
    })
    .await
}

async fn set_status(conn: &mut AsyncPgConnection, id: i64, status: Status) -> Result<Simulation, SimulationRefusal> {
    diesel::update(simulations::table.find(id))
        .set((simulations::status.eq(status.as_str()), simulations::updated_at.eq(diesel::dsl::now)))
        .execute(conn)
        .await?;
    queue::notify_workers(conn).await?;
    lock(conn, id).await
}
