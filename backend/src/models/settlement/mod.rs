//! Settling: one transaction stores a batch of answers, debits exactly the rows that it stored, acknowledges the
//! finished interviews, moves the counters and ends the run when nothing is open.
//!
//! Locks are taken in the order run, member, queue. The run's lock makes all settlements of a run one after the
//! other, whichever worker they come from: exactly one of them sees the last request go, and closes. The primary key
//! of `responses` is the idempotency key: a batch that is settled twice inserts nothing the second time, debits nothing
//! and counts nothing.

mod statements;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer};

use crate::models::notices;
use crate::models::simulations::Status;
use crate::queue::Lease;
use crate::schema::{group_members, simulations, transactions};

pub use statements::CLOSE;

/// An answer that passed its checks, with where it came from.
#[derive(Clone, Debug)]
pub struct NewAnswer {
    pub question_id: i64,
    pub answer: String,
    pub answer_value: serde_json::Value,
    /// Options as shown, 1-based positions in the question.
    pub option_order: Option<Vec<i16>>,
    pub attempt: i16,
    pub model: String,
    pub fingerprint: Option<String>,
    pub prompt_hash: [u8; 32],
    pub latency_ms: i32,
    pub prompt_tokens: i32,
    pub cached_tokens: i32,
    pub completion_tokens: i32,
}

/// A request that has no answer and will get none in this pass.
#[derive(Clone, Debug)]
pub struct NewFailure {
    pub question_id: i64,
    pub code: &'static str,
    pub message: String,
    /// What the model said, for the debug download.
    pub detail: Option<String>,
    pub attempts: i16,
}

/// Calls made and tokens used, whatever came of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub calls: i64,
    pub prompt_tokens: i64,
    pub cached_tokens: i64,
    pub completion_tokens: i64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.completion_tokens += other.completion_tokens;
    }
}

/// What one interview has to report.
#[derive(Clone, Debug)]
pub struct Report {
    pub persona_id: i32,
    /// The delivery that the reporter holds: a report under a lost lease is not booked.
    pub lease: Lease,
    pub answers: Vec<NewAnswer>,
    pub failures: Vec<NewFailure>,
    pub usage: Usage,
    /// Parameters that calls went out without, because the model server had refused them by name.
    pub left_out: Vec<&'static str>,
    /// The interview has nothing left to ask: its message goes with this report.
    pub finished: bool,
}

impl Report {
    pub fn rows(&self) -> usize {
        self.answers.len() + self.failures.len()
    }
}

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Booked {
    /// Committed.
    Stored,
    /// Not booked: somebody else has the interview now.
    LeaseLost,
    /// Not booked: the run was stopped or is over.
    RunOver,
}

/// What became of a batch: a verdict for each report, in order, and how the run stands.
#[derive(Clone, Debug)]
pub struct Settled {
    pub booked: Vec<Booked>,
    pub status: Option<Status>,
    /// Requests left open in a run that goes on.
    pub open: Option<usize>,
}

/// The run as settling sees it, under its lock.
struct Run {
    status: Status,
    group_id: i64,
    user_id: i64,
    attempt: i32,
    successful: i32,
    failed: i32,
    open: i32,
    held: i64,
    left_out: Vec<String>,
}

/// Books a batch of one run's reports in one transaction.
pub fn settle(conn: &mut PgConnection, simulation_id: i64, reports: &[Report]) -> QueryResult<Settled> {
    conn.transaction(|conn| {
        let Some(run) = lock_run(conn, simulation_id)?.filter(|run| !run.status.is_over()) else {
            return Ok(Settled { booked: vec![Booked::RunOver; reports.len()], status: None, open: None });
        };
        let fenced = statements::held(conn, reports)?;
        let booked: Vec<_> = reports
            .iter()
            .map(|report| if fenced.contains(&report.lease) { Booked::Stored } else { Booked::LeaseLost })
            .collect();
        let reports: Vec<&Report> = reports.iter().filter(|report| fenced.contains(&report.lease)).collect();

        lock_member(conn, &run)?;
        let stored = statements::insert_answers(conn, simulation_id, &reports, run.attempt > 1 || run.failed > 0)?;
        let failed = statements::insert_failures(conn, simulation_id, &reports)?;
        statements::acknowledge(conn, &reports)?;
        note_left_out(conn, simulation_id, &run, &reports)?;
        let status = count(conn, simulation_id, &run, stored, failed, usage(&reports))?;
        let open = (status == Status::Running).then(|| usize::try_from(run.open - stored - failed).unwrap_or(0));
        Ok(Settled { booked, status: Some(status), open })
    })
}

fn lock_run(conn: &mut PgConnection, simulation_id: i64) -> QueryResult<Option<Run>> {
    type Columns = (String, i64, i64, i32, i32, i32, i32, i64, Vec<String>);
    let row: Option<Columns> = simulations::table
        .find(simulation_id)
        .select((
            simulations::status,
            simulations::group_id,
            simulations::user_id,
            simulations::attempt,
            simulations::successful_requests,
            simulations::failed_requests,
            simulations::open_requests,
            simulations::held,
            simulations::left_out,
        ))
        .for_no_key_update()
        .first(conn)
        .optional()?;
    row.map(|(status, group_id, user_id, attempt, successful, failed, open, held, left_out)| {
        let status =
            status.parse().map_err(|error: String| diesel::result::Error::DeserializationError(error.into()))?;
        Ok(Run { status, group_id, user_id, attempt, successful, failed, open, held, left_out })
    })
    .transpose()
}

fn lock_member(conn: &mut PgConnection, run: &Run) -> QueryResult<i64> {
    group_members::table.find((run.group_id, run.user_id)).select(group_members::held).for_no_key_update().first(conn)
}

fn usage(reports: &[&Report]) -> Usage {
    let mut sum = Usage::default();
    for report in reports {
        sum += report.usage;
    }
    sum
}

/// Adds to the run's record what its calls went out without; most servers take everything.
fn note_left_out(conn: &mut PgConnection, id: i64, run: &Run, reports: &[&Report]) -> QueryResult<()> {
    let mut left_out = run.left_out.clone();
    for name in reports.iter().flat_map(|report| &report.left_out) {
        if !left_out.iter().any(|known| known == name) {
            left_out.push((*name).to_owned());
        }
    }
    if left_out != run.left_out {
        diesel::update(simulations::table.find(id)).set(simulations::left_out.eq(left_out)).execute(conn)?;
    }
    Ok(())
}

/// Debits what was stored, moves the counters and closes the run when nothing is open any more.
fn count(conn: &mut PgConnection, id: i64, run: &Run, stored: i32, failed: i32, usage: Usage) -> QueryResult<Status> {
    let open = run.open - stored - failed;
    let closes = open == 0;
    let spent = i64::from(stored);
    if stored > 0 || closes {
        let released = if closes { run.held } else { spent };
        diesel::update(group_members::table.find((run.group_id, run.user_id)))
            .set((
                group_members::budget.eq(group_members::budget - spent),
                group_members::held.eq(group_members::held - released),
                group_members::updated_at.eq(diesel::dsl::now),
            ))
            .execute(conn)?;
    }
    if stored > 0 {
        book_spending(conn, id, run, spent)?;
    }
    let target = simulations::table.find(id);
    let used = (
        simulations::calls.eq(simulations::calls + usage.calls),
        simulations::prompt_tokens.eq(simulations::prompt_tokens + usage.prompt_tokens),
        simulations::cached_tokens.eq(simulations::cached_tokens + usage.cached_tokens),
        simulations::completion_tokens.eq(simulations::completion_tokens + usage.completion_tokens),
        simulations::updated_at.eq(diesel::dsl::now),
    );
    if !closes {
        diesel::update(target)
            .set((
                used,
                simulations::successful_requests.eq(simulations::successful_requests + stored),
                simulations::failed_requests.eq(simulations::failed_requests + failed),
                simulations::open_requests.eq(open),
                simulations::held.eq(simulations::held - spent),
            ))
            .execute(conn)?;
        return Ok(run.status);
    }
    diesel::update(target).set(used).execute(conn)?;
    diesel::sql_query(CLOSE)
        .bind::<BigInt, _>(id)
        .bind::<Integer, _>(run.successful + stored)
        .bind::<Integer, _>(run.failed + failed)
        .execute(conn)?;
    for notice in notices::RUN_ENDED {
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

/// The run's one ledger entry of this attempt grows with its answers.
fn book_spending(conn: &mut PgConnection, id: i64, run: &Run, spent: i64) -> QueryResult<()> {
    let grown = diesel::update(
        transactions::table
            .filter(transactions::simulation_id.eq(id))
            .filter(transactions::attempt.eq(run.attempt))
            .filter(transactions::type_.eq("MINES")),
    )
    .set((
        transactions::amount.eq(transactions::amount + spent),
        transactions::effect.eq(transactions::effect - spent),
        transactions::updated_at.eq(diesel::dsl::now),
    ))
    .execute(conn)?;
    if grown == 0 {
        let title: String = simulations::table
            .inner_join(crate::schema::surveys::table)
            .filter(simulations::id.eq(id))
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
                transactions::simulation_id.eq(id),
                transactions::attempt.eq(run.attempt),
            ))
            .execute(conn)?;
    }
    Ok(())
}
