//! Runs that a `twinlab simulate` command conducts. If the command ends before its run, the run is paused, so that no
//! answers are bought unasked.
//!
//! A command holds an advisory lock while it lives, and its row names the lock's number. The lock ends with the
//! command's session, however that ends.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;
use simulation::status::Status;

use crate::models::simulations::{SimulationRefusal, control};
use crate::schema::{simulate_commands, simulations};

const MESSAGE: &str = "the command that ran this simulation ended before it";

/// Limit of unfinished runs that are listed at a start.
const MAX_NAMED: i64 = 10;

/// The rows of commands that have ended.
const ENDED: &str = "
    SELECT simulation_id, lock_number FROM simulate_commands WHERE NOT EXISTS (
        SELECT FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32) | objid::bigint = lock_number
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    simulation_id: i64,
    #[diesel(sql_type = BigInt)]
    lock_number: i64,
}

/// Locks a positive number that nobody else has, until the session ends.
pub async fn lock(session: &mut AsyncPgConnection, number: i64) -> QueryResult<()> {
    sql_query("SELECT pg_try_advisory_lock($1)").bind::<BigInt, _>(number).execute(session).await.map(drop)
}

/// Notes that the command with this lock conducts the run.
pub async fn note(conn: &mut AsyncPgConnection, simulation_id: i64, number: i64) -> QueryResult<()> {
    let row = (simulate_commands::simulation_id.eq(simulation_id), simulate_commands::lock_number.eq(number));
    diesel::insert_into(simulate_commands::table)
        .values(row)
        .on_conflict(simulate_commands::simulation_id)
        .do_update()
        .set(simulate_commands::lock_number.eq(number))
        .execute(conn)
        .await
        .map(drop)
}

/// Undoes, for a command that is alive, what other processes concluded while its session was broken.
pub async fn keep(conn: &mut AsyncPgConnection, simulation_id: i64, number: i64) -> Result<(), SimulationRefusal> {
    let noted = simulate_commands::table.find(simulation_id).select(simulate_commands::lock_number);
    if noted.first::<i64>(conn).await.optional()? != Some(number) {
        note(conn, simulation_id, number).await?;
    }
    let found: Option<(String, Option<String>)> = simulations::table
        .find(simulation_id)
        .select((simulations::status, simulations::error_code))
        .first(conn)
        .await
        .optional()?;
    match found {
        Some((status, Some(code))) if status == Status::Paused.as_str() && code == control::COMMAND_ENDED => {
            control::resume(conn, simulation_id).await.map(drop)
        }
        _ => Ok(()),
    }
}

/// Removes the note, after the command has seen its run end or has handed it over.
pub async fn forget(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<()> {
    diesel::delete(simulate_commands::table.find(simulation_id)).execute(conn).await.map(drop)
}

/// Whether a live command conducts the run.
pub async fn is_conducted(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<bool> {
    let noted = simulate_commands::table.find(simulation_id).select(simulate_commands::lock_number);
    let Some(_) = noted.first::<i64>(conn).await.optional()? else { return Ok(false) };
    let ended: Vec<Row> = sql_query(ENDED).load(conn).await?;
    Ok(ended.iter().all(|row| row.simulation_id != simulation_id))
}

/// Pauses the runs whose command has ended. Returns their number.
pub async fn pause_abandoned(conn: &mut AsyncPgConnection) -> QueryResult<usize> {
    let noted: i64 = simulate_commands::table.count().get_result(conn).await?;
    if noted == 0 {
        return Ok(0);
    }
    let ended: Vec<Row> = sql_query(ENDED).load(conn).await?;
    for Row { simulation_id, lock_number } in &ended {
        control::pause_because(conn, *simulation_id, control::COMMAND_ENDED, MESSAGE).await?;
        // A command that has taken the run back meanwhile has another number.
        diesel::delete(simulate_commands::table.find(simulation_id))
            .filter(simulate_commands::lock_number.eq(lock_number))
            .execute(conn)
            .await?;
    }
    Ok(ended.len())
}

/// Returns the newest runs that are paused because their command ended.
pub async fn abandoned(conn: &mut AsyncPgConnection) -> QueryResult<Vec<Simulation>> {
    simulations::table
        .filter(simulations::status.eq(Status::Paused.as_str()))
        .filter(simulations::error_code.eq(control::COMMAND_ENDED))
        .order(simulations::id.desc())
        .limit(MAX_NAMED)
        .load(conn)
        .await
}
