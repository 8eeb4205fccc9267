//! What a batch moves: the member's credits, the run's ledger entry and the run's counters; and the run's end.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Integer};

use super::{Run, Usage};
use crate::models::mail_triggers;
use crate::models::simulations::Status;
use crate::schema::{simulations, transactions};

/// Ends a run whose requests are all accounted for. Binds: id, successful, failed (both final).
/// COMPLETED: all succeeded. FAILED: done, some failed. STOPPED: a retry of a stopped run is done, and what the stop
/// left unasked still is. The message of an earlier pass stays on a run that came good: it says that it was retried.
pub const CLOSE: &str = "
    UPDATE simulations SET
        status = CASE WHEN $2 = total_requests THEN 'COMPLETED'
                      WHEN $2 + $3 = total_requests THEN 'FAILED'
                      ELSE 'STOPPED' END,
        successful_requests = $2, failed_requests = $3, open_requests = 0, held = 0,
        error_code = CASE WHEN $3 > 0 THEN common.code ELSE error_code END,
        error_message = CASE WHEN $3 > 0
            THEN format('%s of %s requests failed; most often: %s', $3, total_requests, common.message)
            ELSE error_message END,
        completed_at = coalesce(completed_at, now()), updated_at = now()
    FROM (SELECT 1) AS one LEFT JOIN LATERAL (
        SELECT code, min(message) AS message FROM request_failures
        WHERE simulation_id = $1 AND NOT retrying GROUP BY code ORDER BY count(*) DESC, code LIMIT 1) AS common ON true
    WHERE simulations.id = $1";

/// Debits what was stored, moves the counters and closes the run when nothing is open any more.
pub(super) fn count(conn: &mut PgConnection, run: &Run, stored: i32, failed: i32, usage: Usage) -> QueryResult<Status> {
    let spent = i64::from(stored);
    let closes = run.open == stored + failed;
    // A run that ends has its counters set by its end.
    let (answered, given_up, released) = if closes { (0, 0, run.held) } else { (stored, failed, spent) };
    let grown: i64 = (&Move { run, spent, released, answered, given_up, usage }).get_result(conn)?;
    if spent > 0 && grown == 0 {
        open_entry(conn, run, spent)?;
    }
    match closes {
        true => close(conn, run.id, run.successful + stored, run.failed + failed),
        false => Ok(run.status),
    }
}

/// All that a batch moves, in one statement: to read three would take PostgreSQL longer than to do them.
/// Returns how many ledger entries grew.
struct Move<'a> {
    run: &'a Run,
    /// Credits.
    spent: i64,
    /// Credits that are not set aside any longer, spent or not.
    released: i64,
    /// Requests that are not open any longer.
    answered: i32,
    given_up: i32,
    usage: Usage,
}

impl QueryFragment<Pg> for Move<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH member AS (UPDATE group_members SET budget = budget - ");
        out.push_bind_param::<BigInt, _>(&self.spent)?;
        out.push_sql(", held = held - ");
        out.push_bind_param::<BigInt, _>(&self.released)?;
        out.push_sql(", updated_at = now() WHERE group_id = ");
        out.push_bind_param::<BigInt, _>(&self.run.group_id)?;
        out.push_sql(" AND user_id = ");
        out.push_bind_param::<BigInt, _>(&self.run.user_id)?;
        out.push_sql(" AND ");
        out.push_bind_param::<BigInt, _>(&self.released)?;
        out.push_sql(" > 0), run AS (UPDATE simulations SET successful_requests = successful_requests + ");
        out.push_bind_param::<Integer, _>(&self.answered)?;
        out.push_sql(", failed_requests = failed_requests + ");
        out.push_bind_param::<Integer, _>(&self.given_up)?;
        out.push_sql(", open_requests = open_requests - ");
        out.push_bind_param::<Integer, _>(&self.answered)?;
        out.push_sql(" - ");
        out.push_bind_param::<Integer, _>(&self.given_up)?;
        out.push_sql(", held = held - ");
        out.push_bind_param::<Integer, _>(&self.answered)?;
        out.push_sql(", calls = calls + ");
        out.push_bind_param::<BigInt, _>(&self.usage.calls)?;
        out.push_sql(", prompt_tokens = prompt_tokens + ");
        out.push_bind_param::<BigInt, _>(&self.usage.prompt_tokens)?;
        out.push_sql(", cached_tokens = cached_tokens + ");
        out.push_bind_param::<BigInt, _>(&self.usage.cached_tokens)?;
        out.push_sql(", completion_tokens = completion_tokens + ");
        out.push_bind_param::<BigInt, _>(&self.usage.completion_tokens)?;
        out.push_sql(", updated_at = now() WHERE id = ");
        out.push_bind_param::<BigInt, _>(&self.run.id)?;
        out.push_sql("), entry AS (UPDATE transactions SET amount = amount + ");
        out.push_bind_param::<BigInt, _>(&self.spent)?;
        out.push_sql(", effect = effect - ");
        out.push_bind_param::<BigInt, _>(&self.spent)?;
        out.push_sql(", updated_at = now() WHERE simulation_id = ");
        out.push_bind_param::<BigInt, _>(&self.run.id)?;
        out.push_sql(" AND attempt = ");
        out.push_bind_param::<Integer, _>(&self.run.attempt)?;
        out.push_sql(" AND type = 'MINES' AND ");
        out.push_bind_param::<BigInt, _>(&self.spent)?;
        out.push_sql(" > 0 RETURNING 1) SELECT count(*) FROM entry");
        Ok(())
    }
}

impl Query for Move<'_> {
    type SqlType = BigInt;
}

kept_by_text!(Move);

/// The run's one ledger entry of this attempt, which grows with its answers.
fn open_entry(conn: &mut PgConnection, run: &Run, spent: i64) -> QueryResult<()> {
    let title: String = simulations::table
        .inner_join(crate::schema::surveys::table)
        .filter(simulations::id.eq(run.id))
        .select(crate::schema::surveys::title)
        .first(conn)?;
    let pass = if run.attempt > 1 { format!(" (retry {})", run.attempt - 1) } else { String::new() };
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

fn close(conn: &mut PgConnection, id: i64, successful: i32, failed: i32) -> QueryResult<Status> {
    diesel::sql_query(CLOSE)
        .bind::<BigInt, _>(id)
        .bind::<Integer, _>(successful)
        .bind::<Integer, _>(failed)
        .execute(conn)?;
    for notice in mail_triggers::RUN_ENDED {
        diesel::sql_query(notice).bind::<BigInt, _>(id).execute(conn)?;
    }
    // Every interview acknowledges with its last report; what is left are messages that had nothing to ask.
    diesel::sql_query("DELETE FROM pgmq.q_interviews WHERE message @> jsonb_build_object('simulation', $1)")
        .bind::<BigInt, _>(id)
        .execute(conn)?;
    simulations::table
        .find(id)
        .select(simulations::status)
        .first::<String>(conn)?
        .parse()
        .map_err(|error: String| diesel::result::Error::DeserializationError(error.into()))
}
