//! Claims interviews of a run from the queue, with everything needed to begin them.

use std::collections::HashMap;
use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::parameters::Parameters;
use simulation::progress::InterviewProgress;
use survey::plan::Plan;
use survey::question::Question;
use tokio::time::Instant;
use uuid::Uuid;

use super::interviews;
use crate::models::assignments;
use crate::models::batches::{self, WaitingCall};
use crate::models::queue::{self, Lease};
use crate::schema::simulations;

/// A claim of interviews of one run, for one worker.
///
/// It carries what stays the same in every pass of the run. The claim itself reads the pass, because the run may have
/// been stopped and retried since the worker read it.
#[derive(Clone, Copy, Debug)]
pub struct NewClaim<'a> {
    pub simulation_id: i64,
    pub persona_set_id: i32,
    pub parameters: &'a Parameters,
    pub questions: &'a [Question],
    /// `None`: a plain survey.
    pub plan: Option<&'a Plan>,
    /// Upper limit of interviews to claim.
    pub quantity: usize,
    pub lease: Duration,
    /// The worker's process.
    pub process: Uuid,
    /// A run whose interviews come first: while it goes on, a persona is left to it until it has ended that persona's.
    pub after: Option<i64>,
}

/// A claimed interview.
#[derive(Debug)]
pub struct Claimed {
    pub persona_id: i32,
    pub lease: Lease,
    /// Time before the claim was sent, so that the lease ends no earlier than this plus its length.
    pub claimed_at: Instant,
    /// Consecutive deliveries that ended during a call with nothing stored since; `None`: this is the first delivery.
    pub breaks: Option<i32>,
    /// Questions without an answer, by id.
    pub open: Vec<i64>,
    /// Length of the persona's text in bytes.
    pub text_length: usize,
    /// Progress of the interview, in a run with a design.
    pub progress: Option<Box<InterviewProgress>>,
    /// The call that it waits for or that was answered, in a run that asks in batches.
    pub waiting: Option<Box<WaitingCall>>,
}

impl NewClaim<'_> {
    /// Claims interviews in one transaction: if they cannot be read, there is no claim and no delivery counts.
    pub async fn claim(self, conn: &mut AsyncPgConnection) -> QueryResult<Vec<Claimed>> {
        let claimed_at = Instant::now();
        conn.transaction(async |conn| {
            let run = self.simulation_id;
            mark_running(conn, run).await?;
            let claims = queue::claim(conn, run, self.quantity as i32, self.lease, self.process, self.after).await?;
            if claims.is_empty() {
                return Ok(Vec::new());
            }
            let personas: Vec<i32> = claims.iter().map(|claim| claim.persona_id).collect();
            // Read after the claim: a stop waits for the claimed messages, so the pass stays the same until this
            // commits.
            let retries_failed = retries_failed(conn, run).await?;
            let mut progress = match self.plan {
                None => HashMap::new(),
                Some(plan) => assignments::interview_progress(conn, run, plan, retries_failed, &personas).await?,
            };
            let mut open = match self.plan {
                None => {
                    let questions: Vec<i64> = self.questions.iter().map(|question| question.id).collect();
                    interviews::open_questions(conn, run, retries_failed, &questions, &personas).await?
                }
                Some(_) => {
                    let open =
                        progress.iter().map(|(persona, progress)| (*persona, progress.open.iter().copied().collect()));
                    open.collect()
                }
            };
            let mut waiting = match self.parameters.batch {
                true => batches::waiting(conn, run, &personas).await?,
                false => HashMap::new(),
            };
            let variant = self.parameters.persona_variant;
            let lengths = interviews::text_lengths(conn, self.persona_set_id, variant, &personas).await?;
            let interviews = claims.into_iter().map(|claim| {
                let open = open.remove(&claim.persona_id).unwrap_or_default();
                Claimed {
                    persona_id: claim.persona_id,
                    lease: claim.lease(),
                    claimed_at,
                    breaks: claim.breaks(open.len()),
                    open,
                    text_length: lengths.get(&claim.persona_id).copied().unwrap_or_default(),
                    progress: progress.remove(&claim.persona_id).map(Box::new),
                    waiting: waiting.remove(&claim.persona_id).map(Box::new),
                }
            });
            Ok(interviews.collect())
        })
        .await
    }
}

/// Sets `QUEUED → RUNNING` if the run has an interview to claim or one that has been under way since before a pause.
/// Call it before the claim, because the run is locked before the queue.
async fn mark_running(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<()> {
    sql_query(
        "UPDATE simulations SET status = 'RUNNING', started_at = coalesce(started_at, now()), updated_at = now()
         WHERE id = $1 AND status = 'QUEUED' AND EXISTS (SELECT FROM pgmq.q_interviews
             WHERE message @> jsonb_build_object('simulation', $1))",
    )
    .bind::<BigInt, _>(id)
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether the run's pass asks failed requests only, instead of all that are not settled.
async fn retries_failed(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<bool> {
    simulations::table.find(id).select(simulations::retries_failed).first(conn).await
}
