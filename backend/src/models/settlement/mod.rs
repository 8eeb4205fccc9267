//! Settlement: one transaction stores a batch of answers, debits exactly the rows that it stored, acknowledges the
//! finished interviews, moves the counters and ends the run when nothing is open.
//!
//! Locks are taken in the order run, member, queue. The run's lock serialises its settlements over all workers, so
//! exactly one of them accounts for the last request and closes the run. The primary key of `responses` is the
//! idempotency key: a batch that is settled twice inserts, debits and counts nothing the second time.

mod batch_calls;
mod booking;
mod cost_cap;
mod statements;

use diesel::prelude::*;
use survey::walk::Reason;

use crate::models::call_replies::{self, NewCallReply};
use crate::models::queue::Lease;
use crate::models::responses::{DEMO_MODEL, Provenance};
use crate::models::run::Status;
use crate::schema::{group_members, simulations};

use self::booking::Booking;
pub use booking::CLOSE;

/// An answer that passed its checks, with its provenance.
#[derive(Clone, Debug)]
pub struct NewAnswer {
    pub question_id: i64,
    pub answer: String,
    pub answer_value: serde_json::Value,
    pub provenance: Provenance,
}

/// A request that failed for good in this pass.
#[derive(Clone, Debug)]
pub struct NewFailure {
    pub question_id: i64,
    pub code: &'static str,
    pub message: String,
    /// The model's text, for the debug download.
    pub detail: Option<String>,
    pub attempts: i16,
}

/// A request that logic hid.
#[derive(Clone, Copy, Debug)]
pub struct NotShown {
    pub question_id: i64,
    pub reason: Reason,
}

/// A prompt's hash, and how to build the prompt again.
#[derive(Clone, Debug)]
pub struct AskedPrompt {
    pub hash: [u8; 32],
    pub recipe: serde_json::Value,
}

/// Calls made and tokens used, including calls without answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallUsage {
    pub calls: i64,
    pub prompt_tokens: i64,
    pub cached_tokens: i64,
    pub completion_tokens: i64,
}

impl std::ops::AddAssign for CallUsage {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.completion_tokens += other.completion_tokens;
    }
}

/// The results of one interview since its last report.
#[derive(Clone, Debug)]
pub struct InterviewReport {
    pub persona_id: i32,
    /// The delivery that the reporter holds. A report under a lost lease is not booked.
    pub lease: Lease,
    pub answers: Vec<NewAnswer>,
    pub failures: Vec<NewFailure>,
    pub not_shown: Vec<NotShown>,
    pub usage: CallUsage,
    /// Parameters that calls were sent without, because the model server had rejected them.
    pub left_out: Vec<&'static str>,
    /// Prompts of these answers that were not the usual ones for their questions.
    pub prompts: Vec<AskedPrompt>,
    /// Raw replies, if the run has `keep_replies`.
    pub replies: Vec<NewCallReply>,
    /// The interview has nothing left to ask, or waits for a batch: its message is deleted with this report.
    pub finished: bool,
    /// Change of the call that the interview waits for, in a run that asks in batches.
    pub call_change: CallChange,
}

/// Change of the call that an interview of a batch run waits for.
#[derive(Clone, Debug, Default)]
pub enum CallChange {
    /// Nothing; always so in other runs.
    #[default]
    Keep,
    /// The interview waits for the call. If its reply has arrived meanwhile, the message stays.
    Wait,
    /// The pending call is answered or stale; wait for this one, or for none.
    Replace(Option<Box<NewCall>>),
}

/// A call for the next batch.
#[derive(Clone, Debug)]
pub struct NewCall {
    pub prompt_hash: [u8; 32],
    /// The request's body after the persona's text.
    pub body_rest: String,
    /// Size of the whole body.
    pub bytes: i32,
    /// Expected tokens of the reply.
    pub reply_tokens: i32,
    /// The requests that it asks, and how often each was asked before.
    pub state: serde_json::Value,
}

impl InterviewReport {
    pub fn rows(&self) -> usize {
        self.answers.len() + self.failures.len() + self.not_shown.len()
    }
}

/// The outcome of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Booked {
    /// The report is committed.
    Stored,
    /// Not booked: another worker has the interview now.
    LeaseLost,
    /// Not booked: the run was stopped or is over.
    RunFinished,
}

/// The outcome of a batch: one entry for each report, in order, and the state of the run.
#[derive(Clone, Debug)]
pub struct Settled {
    pub booked: Vec<Booked>,
    pub status: Option<Status>,
    /// Open requests, if the run goes on.
    pub open: Option<usize>,
}

/// The columns of a locked run that a settlement reads.
#[derive(Queryable, Selectable)]
#[diesel(table_name = simulations, check_for_backend(diesel::pg::Pg))]
struct Run {
    id: i64,
    #[diesel(deserialize_as = String)]
    status: Status,
    group_id: i64,
    user_id: i64,
    attempt: i32,
    retries_failed: bool,
    #[diesel(column_name = successful_requests)]
    successful: i32,
    #[diesel(column_name = failed_requests)]
    failed: i32,
    #[diesel(column_name = open_requests)]
    open: i32,
    held: i64,
    left_out: Vec<String>,
    demo_model: bool,
}

/// Books a batch of one run's reports in one transaction.
pub fn settle(conn: &mut PgConnection, simulation_id: i64, reports: &[InterviewReport]) -> QueryResult<Settled> {
    conn.transaction(|conn| {
        let Some(run) = lock_run(conn, simulation_id)?.filter(|run| !run.status.is_over()) else {
            return Ok(Settled { booked: vec![Booked::RunFinished; reports.len()], status: None, open: None });
        };
        let fenced = statements::held(conn, reports)?;
        let booked: Vec<_> = reports
            .iter()
            .map(|report| if fenced.contains(&report.lease) { Booked::Stored } else { Booked::LeaseLost })
            .collect();
        let reports: Vec<&InterviewReport> = reports.iter().filter(|report| fenced.contains(&report.lease)).collect();

        lock_member(conn, &run)?;
        let stored = statements::insert_answers(conn, simulation_id, &reports)?;
        statements::insert_prompts(conn, simulation_id, &reports)?;
        keep_replies(conn, simulation_id, &reports)?;
        let failed = statements::insert_failures(conn, simulation_id, &reports)?;
        let skipped = statements::insert_not_shown(conn, simulation_id, &reports)?;
        let done = batch_calls::change(conn, simulation_id, &reports)?;
        statements::acknowledge(conn, &done)?;
        note_left_out(conn, &run, &reports)?;
        note_demo_model(conn, &run, &reports)?;
        statements::insert_models(conn, simulation_id, &reports)?;
        let is_settled_before = stored + failed + skipped == 0 && reports.iter().any(|report| report.rows() > 0);
        let usage = if is_settled_before { CallUsage::default() } else { usage(&reports) };
        let mut status = booking::count(conn, &run, Booking { stored, failed, skipped }, usage)?;
        if matches!(status, Status::Queued | Status::Running) && cost_cap::pause_if_reached(conn, run.id)? {
            status = Status::Paused;
        }
        let open =
            (status == Status::Running).then(|| usize::try_from(run.open - stored - failed - skipped).unwrap_or(0));
        Ok(Settled { booked, status: Some(status), open })
    })
}

fn lock_run(conn: &mut PgConnection, simulation_id: i64) -> QueryResult<Option<Run>> {
    simulations::table.find(simulation_id).select(Run::as_select()).for_no_key_update().first(conn).optional()
}

fn lock_member(conn: &mut PgConnection, run: &Run) -> QueryResult<i64> {
    group_members::table.find((run.group_id, run.user_id)).select(group_members::held).for_no_key_update().first(conn)
}

fn keep_replies(conn: &mut PgConnection, simulation_id: i64, reports: &[&InterviewReport]) -> QueryResult<()> {
    let replies = reports.iter().flat_map(|report| report.replies.iter().map(|reply| (report.persona_id, reply)));
    let replies: Vec<(i32, &NewCallReply)> = replies.collect();
    call_replies::insert(conn, simulation_id, &replies)
}

fn usage(reports: &[&InterviewReport]) -> CallUsage {
    let mut sum = CallUsage::default();
    for report in reports {
        sum += report.usage;
    }
    sum
}

/// Adds the parameters that calls were sent without to the run's record.
fn note_left_out(conn: &mut PgConnection, run: &Run, reports: &[&InterviewReport]) -> QueryResult<()> {
    let mut left_out = run.left_out.clone();
    for name in reports.iter().flat_map(|report| &report.left_out) {
        if !left_out.iter().any(|known| known == name) {
            left_out.push((*name).to_owned());
        }
    }
    if left_out != run.left_out {
        diesel::update(simulations::table.find(run.id)).set(simulations::left_out.eq(left_out)).execute(conn)?;
    }
    Ok(())
}

/// Marks the run once the demo model has answered. The server's model id decides, since the demo model may run at any
/// address.
fn note_demo_model(conn: &mut PgConnection, run: &Run, reports: &[&InterviewReport]) -> QueryResult<()> {
    let demo = || reports.iter().flat_map(|report| &report.answers).any(|answer| answer.provenance.model == DEMO_MODEL);
    if !run.demo_model && demo() {
        diesel::update(simulations::table.find(run.id)).set(simulations::demo_model.eq(true)).execute(conn)?;
    }
    Ok(())
}
