//! State changes that users request: execute, pause, resume, stop, retry the failed requests.
//!
//! Each changes the row under its lock and notifies the workers, which read the row. Locks are taken in the order run,
//! member, queue, as everywhere.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use super::{Simulation, SimulationRefusal, Status, costs, hold, lock, reconcile};
use crate::models::group_members;
use crate::models::{mail_triggers, queue, restoration, simulate_commands};
use crate::schema::{simulations, study_runs, surveys};

/// The error code of a run whose member was suspended.
pub const MEMBER_SUSPENDED: &str = "member_suspended";

/// Error codes of pauses at which the model server had refused no request.
const NOTHING_REFUSED: [&str; 4] =
    [simulate_commands::COMMAND_ENDED, restoration::RESTORED, MEMBER_SUSPENDED, costs::COST_CAP];

/// Forgets why a run was paused; $2 is [`NOTHING_REFUSED`]. The message stays where requests were refused: it tells that
/// not all succeeded at first.
const FORGET_PAUSE: &str = "error_code = NULL,
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

/// `QUEUED, RUNNING → PAUSED`: running calls finish and count, no new one starts.
pub async fn pause(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| match lock(conn, id).await?.status {
        Status::Queued | Status::Running => set_status(conn, id, Status::Paused).await,
        status => Err(SimulationRefusal::WrongState { status, action: "paused" }),
    })
    .await
}

/// Pauses the run $1 because of the error code $2, with the message $3. A run that is neither queued nor running stays as
/// it is.
pub const PAUSE_BECAUSE: &str = "
    UPDATE simulations SET status = 'PAUSED', error_code = $2, error_message = $3, updated_at = now()
    WHERE id = $1 AND status IN ('QUEUED', 'RUNNING')";

/// Pauses a run after an error of the model server that would fail all its requests. A run whose status has changed
/// meanwhile stays as it is.
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
        lock(conn, id).await
    })
    .await
}

/// Asks the failed requests of an ended run again: a new pass that holds its own credits.
pub async fn retry_failed(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let run = lock_for_pass(conn, id).await?;
        if !run.status.is_over() {
            return Err(SimulationRefusal::WrongState { status: run.status, action: "retried" });
        }
        if run.failed_requests == 0 {
            return Err(SimulationRefusal::NothingFailed);
        }
        costs::refuse_above_cap(conn, &run).await?;
        hold(conn, run.group_id, run.user_id, i64::from(run.failed_requests)).await?;
        sql_query(
            "UPDATE simulations SET status = 'QUEUED', attempt = attempt + 1, retries_failed = true,
                 held = failed_requests, open_requests = failed_requests, failed_requests = 0, completed_at = NULL,
                 updated_at = now()
             WHERE id = $1",
        )
        .bind::<BigInt, _>(id)
        .execute(conn)
        .await?;
        sql_query("UPDATE request_failures SET retrying = true WHERE simulation_id = $1")
            .bind::<BigInt, _>(id)
            .execute(conn)
            .await?;
        queue_pass(conn, id).await
    })
    .await
}

/// `STOPPED → QUEUED`: asks what the stop left open, in a new pass that holds its own credits. What failed stays failed.
pub async fn go_on(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let run = lock_for_pass(conn, id).await?;
        if run.status != Status::Stopped {
            return Err(SimulationRefusal::WrongState { status: run.status, action: "continued" });
        }
        let open = run.total_requests - run.successful_requests - run.failed_requests;
        if open == 0 {
            return Err(SimulationRefusal::NothingOpen);
        }
        costs::refuse_above_cap(conn, &run).await?;
        // Failed requests hold their credits until the pass ends, as in every pass.
        let held = i64::from(open + run.failed_requests);
        hold(conn, run.group_id, run.user_id, held).await?;
        sql_query(format!(
            "UPDATE simulations SET status = 'QUEUED', attempt = attempt + 1, retries_failed = false, held = $3,
                 open_requests = $4, completed_at = NULL, {FORGET_PAUSE}, updated_at = now()
             WHERE id = $1",
        ))
        .bind::<BigInt, _>(id)
        .bind::<Array<Text>, _>(NOTHING_REFUSED.as_slice())
        .bind::<BigInt, _>(held)
        .bind::<Integer, _>(open)
        .execute(conn)
        .await?;
        queue_pass(conn, id).await
    })
    .await
}

/// The run, locked for another pass. Locks the survey first, as a start does: only one of the two makes the survey's
/// active run. Runs of one study are active side by side.
async fn lock_for_pass(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    let of_study = study_runs::table.find(id).select(study_runs::study_id).single_value();
    let (survey_id, study_id): (i64, Option<i64>) = simulations::table
        .find(id)
        .select((simulations::survey_id, of_study))
        .first(conn)
        .await
        .optional()?
        .ok_or(SimulationRefusal::NotFound)?;
    let _: i64 = surveys::table.find(survey_id).select(surveys::id).for_no_key_update().first(conn).await?;
    let run = lock(conn, id).await?;
    let siblings = study_runs::table.filter(study_runs::study_id.nullable().eq(study_id));
    let others = simulations::table
        .filter(simulations::survey_id.eq(survey_id))
        .filter(simulations::status.eq_any(["PENDING", "QUEUED", "RUNNING", "PAUSED"]))
        .filter(simulations::id.ne(id))
        .filter(simulations::id.ne_all(siblings.select(study_runs::simulation_id)));
    if run.status.is_over() && diesel::select(diesel::dsl::exists(others)).get_result(conn).await? {
        return Err(SimulationRefusal::AlreadyActive);
    }
    Ok(run)
}

/// Queues the interviews that the new pass asks.
async fn queue_pass(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    let run = lock(conn, id).await?;
    let personas = reconcile::orphans(conn, &run).await?;
    queue::send(conn, id, &personas).await?;
    queue::notify_workers(conn).await?;
    Ok(run)
}

async fn set_status(conn: &mut AsyncPgConnection, id: i64, status: Status) -> Result<Simulation, SimulationRefusal> {
    diesel::update(simulations::table.find(id))
        .set((simulations::status.eq(status.as_str()), simulations::updated_at.eq(diesel::dsl::now)))
        .execute(conn)
        .await?;
    queue::notify_workers(conn).await?;
    lock(conn, id).await
}
