//! Settlement: one transaction stores a batch of answers, debits exactly the rows that it stored, acknowledges the
//! finished interviews, moves the counters and ends the run when nothing is open.
//!
//! Locks are taken in the order run, member, queue. The run's lock serialises its settlements over all workers, so
//! exactly one of them accounts for the last request and closes the run. The primary key of `responses` is the
//! idempotency key: a batch that is settled twice inserts, debits and counts nothing the second time.

mod batch_calls;
mod booking;
mod cost_cap;
mod report;
mod statements;

use diesel::prelude::*;
use simulation::answers::DEMO_MODEL;
use simulation::status::Status;

use crate::models::call_replies::{self, NewCallReply};
use crate::schema::{group_members, simulations};

pub use self::booking::CLOSE;
use self::booking::{Booking, LockedRun};
pub use self::report::{
    AskedPrompt, Booked, CallChange, CallUsage, InterviewReport, NewAnswer, NewCall, NewFailure, NotShown, Settled,
};

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

fn lock_run(conn: &mut PgConnection, simulation_id: i64) -> QueryResult<Option<LockedRun>> {
    simulations::table.find(simulation_id).select(LockedRun::as_select()).for_no_key_update().first(conn).optional()
}

fn lock_member(conn: &mut PgConnection, run: &LockedRun) -> QueryResult<i64> {
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
fn note_left_out(conn: &mut PgConnection, run: &LockedRun, reports: &[&InterviewReport]) -> QueryResult<()> {
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
fn note_demo_model(conn: &mut PgConnection, run: &LockedRun, reports: &[&InterviewReport]) -> QueryResult<()> {
    let demo = || reports.iter().flat_map(|report| &report.answers).any(|answer| answer.provenance.model == DEMO_MODEL);
    if !run.demo_model && demo() {
        diesel::update(simulations::table.find(run.id)).set(simulations::demo_model.eq(true)).execute(conn)?;
    }
    Ok(())
}
