//! Books a stored batch: the member's credits, the run's ledger entry, the run's counters, and the end of the run.

use diesel::dsl::now;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer};
use simulation::status::Status;

use super::report::CallUsage;
use crate::models::mail_triggers;
use crate::schema::{batch_calls, group_members, simulation_designs, simulations, surveys, transactions};

/// The columns of a locked run that a settlement reads.
#[derive(Queryable, Selectable)]
#[diesel(table_name = simulations, check_for_backend(diesel::pg::Pg))]
pub(super) struct LockedRun {
    pub id: i64,
    #[diesel(deserialize_as = String)]
    pub status: Status,
    pub group_id: i64,
    pub user_id: i64,
    pub attempt: i32,
    pub retries_failed: bool,
    #[diesel(column_name = successful_requests)]
    pub successful: i32,
    #[diesel(column_name = failed_requests)]
    pub failed: i32,
    #[diesel(column_name = open_requests)]
    pub open: i32,
    pub held: i64,
    pub left_out: Vec<String>,
    pub demo_model: bool,
}

/// Ends a run whose requests are all accounted for. Binds: id, successful, failed (both final), and the requests that
/// were not shown and are not subtracted yet.
///
/// COMPLETED: all succeeded. FAILED: done, some failed. STOPPED: a retry of a stopped run is done; the requests that
/// the stop left open are still open. A completed run keeps the message of an earlier pass, which shows that it was
/// retried.
pub const CLOSE: &str = "
    UPDATE simulations SET
        status = CASE WHEN $2 = total_requests - $4 THEN 'COMPLETED'
                      WHEN $2 + $3 = total_requests - $4 THEN 'FAILED'
                      ELSE 'STOPPED' END,
        total_requests = total_requests - $4, successful_requests = $2, failed_requests = $3, open_requests = 0, held = 0,
        error_code = CASE WHEN $3 > 0 THEN common.code ELSE error_code END,
        error_message = CASE WHEN $3 > 0
            THEN format('%s of %s requests failed; most often: %s', to_char($3, 'FM999,999,999,990'),
                to_char(total_requests - $4, 'FM999,999,999,990'), common.message)
            ELSE error_message END,
        completed_at = coalesce(completed_at, now()), updated_at = now()
    FROM (SELECT 1) AS one LEFT JOIN LATERAL (
        SELECT code, min(message) AS message FROM request_failures
        WHERE simulation_id = $1 AND NOT retrying GROUP BY code ORDER BY count(*) DESC, code LIMIT 1) AS common ON true
    WHERE simulations.id = $1";

/// The numbers of requests that a batch settled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Booking {
    pub stored: i32,
    pub failed: i32,
    pub skipped: i32,
}

/// Debits what was stored, moves the counters, and closes the run when nothing is open any more.
pub(super) fn count(
    conn: &mut PgConnection,
    run: &LockedRun,
    booking: Booking,
    usage: CallUsage,
) -> QueryResult<Status> {
    let Booking { stored, failed, skipped } = booking;
    let spent = i64::from(stored);
    let closes = run.open == stored + failed + skipped;
    debit(conn, run, spent, if closes { run.held } else { spent + i64::from(skipped) })?;
    if skipped > 0 {
        take_off(conn, run.id, skipped, closes)?;
    }
    // CLOSE sets the counters of a run that ends.
    let (answered, given_up) = if closes { (0, 0) } else { (stored, failed) };
    diesel::update(simulations::table.find(run.id))
        .set((
            simulations::successful_requests.eq(simulations::successful_requests + answered),
            simulations::failed_requests.eq(simulations::failed_requests + given_up),
            simulations::open_requests.eq(simulations::open_requests - answered - given_up),
            simulations::held.eq(simulations::held - i64::from(answered)),
            simulations::calls.eq(simulations::calls + usage.calls),
            simulations::prompt_tokens.eq(simulations::prompt_tokens + usage.prompt_tokens),
            simulations::cached_tokens.eq(simulations::cached_tokens + usage.cached_tokens),
            simulations::completion_tokens.eq(simulations::completion_tokens + usage.completion_tokens),
            simulations::reasoning_tokens.eq(simulations::reasoning_tokens + usage.reasoning_tokens),
            simulations::cache_write_tokens.eq(simulations::cache_write_tokens + usage.cache_write_tokens),
            simulations::updated_at.eq(now),
        ))
        .execute(conn)?;
    match closes {
        true => close(conn, run.id, run.successful + stored, run.failed + failed, skipped),
        false => Ok(run.status),
    }
}

/// Subtracts requests that were not shown from the run's total. For a run that ends, CLOSE does it.
fn take_off(conn: &mut PgConnection, id: i64, skipped: i32, closes: bool) -> QueryResult<()> {
    diesel::update(simulation_designs::table.find(id))
        .set(simulation_designs::skipped.eq(simulation_designs::skipped + skipped))
        .execute(conn)?;
    if !closes {
        diesel::update(simulations::table.find(id))
            .set((
                simulations::total_requests.eq(simulations::total_requests - skipped),
                simulations::open_requests.eq(simulations::open_requests - skipped),
                simulations::held.eq(simulations::held - i64::from(skipped)),
            ))
            .execute(conn)?;
    }
    Ok(())
}

/// Takes `spent` credits from the member's budget and `released` from the held ones, and adds `spent` to the run's
/// ledger entry.
fn debit(conn: &mut PgConnection, run: &LockedRun, spent: i64, released: i64) -> QueryResult<()> {
    if released > 0 {
        diesel::update(group_members::table.find((run.group_id, run.user_id)))
            .set((
                group_members::budget.eq(group_members::budget - spent),
                group_members::held.eq(group_members::held - released),
                group_members::updated_at.eq(now),
            ))
            .execute(conn)?;
    }
    if spent == 0 {
        return Ok(());
    }
    let entry = transactions::table
        .filter(transactions::simulation_id.eq(run.id))
        .filter(transactions::attempt.eq(run.attempt))
        .filter(transactions::type_.eq("MINES"));
    let grown = diesel::update(entry)
        .set((
            transactions::amount.eq(transactions::amount + spent),
            transactions::effect.eq(transactions::effect - spent),
            transactions::updated_at.eq(now),
        ))
        .execute(conn)?;
    match grown {
        0 => open_entry(conn, run, spent),
        _ => Ok(()),
    }
}

/// Creates the ledger entry of the run's attempt; later batches add to it.
fn open_entry(conn: &mut PgConnection, run: &LockedRun, spent: i64) -> QueryResult<()> {
    let title: String = simulations::table
        .inner_join(surveys::table)
        .filter(simulations::id.eq(run.id))
        .select(surveys::title)
        .first(conn)?;
    let pass = match (run.attempt, run.retries_failed) {
        (1, _) => String::new(),
        (attempt, true) => format!(" (retry {})", attempt - 1),
        (_, false) => " (continued)".to_owned(),
    };
    diesel::insert_into(transactions::table)
        .values((
            transactions::group_id.eq(run.group_id),
            transactions::user_id.eq(run.user_id),
            transactions::type_.eq("MINES"),
            transactions::amount.eq(spent),
            transactions::effect.eq(-spent),
            transactions::description.eq(format!("Simulation of \"{title}\"{pass}")),
            transactions::simulation_id.eq(run.id),
            transactions::attempt.eq(run.attempt),
        ))
        .execute(conn)?;
    Ok(())
}

fn close(conn: &mut PgConnection, id: i64, successful: i32, failed: i32, skipped: i32) -> QueryResult<Status> {
    diesel::sql_query(CLOSE)
        .bind::<BigInt, _>(id)
        .bind::<Integer, _>(successful)
        .bind::<Integer, _>(failed)
        .bind::<Integer, _>(skipped)
        .execute(conn)?;
    for notice in mail_triggers::RUN_ENDED {
        diesel::sql_query(notice).bind::<BigInt, _>(id).execute(conn)?;
    }
    // Interviews acknowledge with their last report. Messages that are left had nothing to ask.
    diesel::sql_query("DELETE FROM pgmq.q_interviews WHERE message @> jsonb_build_object('simulation', $1)")
        .bind::<BigInt, _>(id)
        .execute(conn)?;
    diesel::delete(batch_calls::table.filter(batch_calls::simulation_id.eq(id))).execute(conn)?;
    simulations::table
        .find(id)
        .select(simulations::status)
        .first::<String>(conn)?
        .parse()
        .map_err(|error: String| diesel::result::Error::DeserializationError(error.into()))
}
