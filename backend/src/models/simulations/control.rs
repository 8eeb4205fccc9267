//! State changes that users request: execute, pause, resume, stop, retry the failed requests.
//!
//! Each changes the row under its lock and notifies the workers, which read the row. Locks are taken in the order run,
//! member, queue, as everywhere.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use super::{Refusal, Simulation, Status, hold, lock};
use crate::models::group_members;
use crate::models::{mail_triggers, queue, restoration, simulate_commands};
use crate::schema::{simulations, surveys};

/// The error code of a run whose member was suspended.
pub const MEMBER_SUSPENDED: &str = "member_suspended";

/// Error codes of pauses at which the model server had refused no request.
const NOTHING_REFUSED: [&str; 3] = [simulate_commands::COMMAND_ENDED, restoration::RESTORED, MEMBER_SUSPENDED];

/// `PENDING → QUEUED`. A queued or running run stays as it is.
pub async fn execute(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, Refusal> {
    conn.transaction(async |conn| match lock(conn, id).await?.status {
        Status::Pending => set_status(conn, id, Status::Queued).await,
        Status::Queued | Status::Running => lock(conn, id).await,
        status => Err(Refusal::WrongState { status, action: "executed" }),
    })
    .await
}

/// `QUEUED, RUNNING → PAUSED`: running calls finish and count, no new one starts.
pub async fn pause(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, Refusal> {
    conn.transaction(async |conn| match lock(conn, id).await?.status {
        Status::Queued | Status::Running => set_status(conn, id, Status::Paused).await,
        status => Err(Refusal::WrongState { status, action: "paused" }),
    })
    .await
}

/// Pauses a run after an error of the model server that would fail all its requests. A run whose status has changed
/// meanwhile stays as it is.
pub async fn pause_because(conn: &mut AsyncPgConnection, id: i64, code: &str, message: &str) -> QueryResult<()> {
    conn.transaction(async |conn| {
        let paused = sql_query(
            "UPDATE simulations SET status = 'PAUSED', error_code = $2, error_message = $3, updated_at = now()
             WHERE id = $1 AND status IN ('QUEUED', 'RUNNING')",
        )
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

/// `PAUSED → QUEUED`: continues with the open requests. The message stays where requests were refused: it tells that not
/// all succeeded at first. The code goes: it says why a run is paused now.
pub async fn resume(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, Refusal> {
    conn.transaction(async |conn| match lock(conn, id).await? {
        Simulation { status: Status::Paused, group_id, user_id, .. } => {
            if !group_members::is_active_member(conn, group_id, user_id).await? {
                return Err(Refusal::MemberSuspended);
            }
            sql_query(
                "UPDATE simulations SET status = 'QUEUED', error_code = NULL, updated_at = now(),
                     error_message = CASE WHEN attempt > 1 OR error_code <> ALL($2) THEN error_message END
                 WHERE id = $1",
            )
            .bind::<BigInt, _>(id)
            .bind::<Array<Text>, _>(NOTHING_REFUSED.as_slice())
            .execute(conn)
            .await?;
            queue::notify_workers(conn).await?;
            lock(conn, id).await
        }
        Simulation { status, .. } => Err(Refusal::WrongState { status, action: "resumed" }),
    })
    .await
}

/// Ends an active run: answers stay, unspent held credits are released, requests of a retry count as failed again.
pub async fn stop(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, Refusal> {
    conn.transaction(async |conn| {
        let run = lock(conn, id).await?;
        if run.status.is_over() {
            return Err(Refusal::WrongState { status: run.status, action: "stopped" });
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
        lock(conn, id).await
    })
    .await
}

/// Asks the failed requests of an ended run again: a new pass that holds its own credits.
pub async fn retry_failed(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, Refusal> {
    conn.transaction(async |conn| {
        // Locks the survey first, as a start does: only one of the two makes the survey's active run.
        let survey_id: i64 = simulations::table
            .find(id)
            .select(simulations::survey_id)
            .first(conn)
            .await
            .optional()?
            .ok_or(Refusal::NotFound)?;
        let _: i64 = surveys::table.find(survey_id).select(surveys::id).for_no_key_update().first(conn).await?;
        let run = lock(conn, id).await?;
        if !run.status.is_over() {
            return Err(Refusal::WrongState { status: run.status, action: "retried" });
        }
        if run.failed_requests == 0 {
            return Err(Refusal::NothingFailed);
        }
        let failed = i64::from(run.failed_requests);
        hold(conn, run.group_id, run.user_id, failed).await?;
        sql_query(
            "UPDATE simulations SET status = 'QUEUED', attempt = attempt + 1, held = failed_requests,
                 open_requests = failed_requests, failed_requests = 0, completed_at = NULL, updated_at = now()
             WHERE id = $1",
        )
        .bind::<BigInt, _>(id)
        .execute(conn)
        .await?;
        sql_query("UPDATE request_failures SET retrying = true WHERE simulation_id = $1")
            .bind::<BigInt, _>(id)
            .execute(conn)
            .await?;
        let personas: Vec<i32> = crate::schema::request_failures::table
            .filter(crate::schema::request_failures::simulation_id.eq(id))
            .select(crate::schema::request_failures::persona_id)
            .distinct()
            .order(crate::schema::request_failures::persona_id)
            .load(conn)
            .await?;
        queue::send(conn, id, &personas).await?;
        queue::notify_workers(conn).await?;
        lock(conn, id).await
    })
    .await
}

async fn set_status(conn: &mut AsyncPgConnection, id: i64, status: Status) -> Result<Simulation, Refusal> {
    diesel::update(simulations::table.find(id))
        .set((simulations::status.eq(status.as_str()), simulations::updated_at.eq(diesel::dsl::now)))
        .execute(conn)
        .await?;
    queue::notify_workers(conn).await?;
    lock(conn, id).await
}
