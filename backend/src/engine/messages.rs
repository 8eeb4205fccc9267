//! The messages between the engine's actors, and what they carry.
//!
//! They stand apart from the actors so that the actors depend on each other in one direction only:
//! dispatcher, supervisor, persona, interview. Permits are in [`super::limiter`].

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actix::dev::{MessageResponse, OneshotSender};
use actix::prelude::*;
use simulation::parameters::Parameters;
use survey::plan::Plan;
use survey::question::Question;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::models::model_servers::{Rates, Traffic};
use crate::models::queue::Lease;
use crate::models::settlement::{Booked, InterviewReport};
use crate::models::simulations::claims::Claimed;

/// Data that all interviews of a simulation share.
#[derive(Debug)]
pub struct RunContext {
    pub id: i64,
    pub persona_set_id: i32,
    pub attempt: i32,
    pub parameters: Parameters,
    pub questions: Vec<Question>,
    /// `None`: a plain survey.
    pub plan: Option<Arc<Plan>>,
    /// Calls that one request may cost.
    pub max_attempts: u16,
    /// The run whose calls leave each twin's text in the model server's cache for this one, which asks the twin after it.
    pub after: Option<i64>,
    /// Calls of this run are refused, and none has been answered since.
    pub refused: AtomicBool,
    /// Calls of this run got no answer in time, and none of its requests has been answered since.
    pub timed_out: AtomicBool,
}

/// State of a run, from mildest to strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunState {
    Running,
    /// No new call; calls under way finish and count.
    Paused,
    /// No new call; calls under way are dropped.
    Stopped,
}

/// Dispatcher to supervisor.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SetRunState(pub RunState);

/// Dispatcher to supervisor: interviews claimed for its run.
#[derive(Message)]
#[rtype(result = "()")]
pub struct AddInterviews(pub Vec<Claimed>);

/// Dispatcher to supervisor: no interview is held and none will come.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Retire;

/// Dispatcher to limiter and budget: this run has no supervisor any more.
#[derive(Message)]
#[rtype(result = "()")]
pub struct ForgetRun(pub i64);

/// Supervisor to dispatcher: an interview of this run is no longer held.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SlotFreed {
    pub run: i64,
}

/// Worker registry to dispatcher: look at the runs now.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Rescan;

/// Dispatcher to worker registry: the model servers of whose runs this worker holds interviews. It leaves its share of the
/// others to other workers.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Busy(pub BTreeSet<String>);

/// Persona to supervisor: the last message of an interview.
#[derive(Message)]
#[rtype(result = "()")]
pub struct InterviewEnded {
    pub persona_id: i32,
    pub lease: Lease,
    pub result: Result<(), Interrupted>,
}

/// Why an interview ended before its last question.
#[derive(Debug)]
pub enum Interrupted {
    /// The run was paused, or the worker shuts down: the interview goes back to the queue.
    Released,
    /// The run was stopped or has ended.
    RunFinished,
    /// The interview waits for a batch: its message is gone until that ends.
    Waits,
    LeaseLost,
    /// A defect or a refused report; the delivery counts against the interview.
    Crashed(String),
}

impl Interrupted {
    pub fn crashed(reason: impl std::fmt::Display) -> Self {
        Self::Crashed(reason.to_string())
    }
}

/// Interview to supervisor: the text of a persona.
#[derive(Message)]
#[rtype(result = "Result<String, String>")]
pub struct LoadText(pub i32);

/// Interview to supervisor: the model server refused a call in a way that another try does not mend. Answers whether the
/// interview goes back to the queue: the run is paused for it, or others are to be asked first.
#[derive(Message)]
#[rtype(result = "bool")]
pub struct CallRefused {
    pub persona_id: i32,
    pub refusal: Refusal,
    pub message: String,
    pub call_began: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The key or the account.
    Denied,
    /// The request of this persona. The answer comes when it is clear whether the others' are too.
    Rejected,
    /// A parameter of the run, which the model does not take.
    Parameter,
    /// The server has no such model, which may be loading: the run waits, unless many interviews hear the same.
    ModelMissing,
    /// No answer came in time. The run pauses if that goes on.
    TimedOut,
}

/// Interview to supervisor: the model server has answered a call, the first since it refused one or was late.
#[derive(Message)]
#[rtype(result = "()")]
pub struct CallAnswered {
    /// The call asked no request.
    pub is_probe: bool,
}

/// Interview to budget: books one report. The reply comes after the commit.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Settle {
    pub run: i64,
    pub report: InterviewReport,
    pub reply: oneshot::Sender<Result<Booked, Unsettled>>,
}

/// The database refused this report for its content; another try would fail too.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the report could not be booked: {0}")]
pub struct Unsettled(pub String);

/// Worker registry to limiter: this worker's part of the limits, 0.0 to 1.0.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SetShare(pub f64);

/// Worker registry to limiter: another worker was refused, no call before this.
#[derive(Message)]
#[rtype(result = "()")]
pub struct BlockUntil(pub Instant);

/// Limiter to worker registry: its model server refused us or is down; no worker should call it before `until`. `None`: it
/// is back.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Blocked {
    pub server: String,
    pub until: Option<Instant>,
    pub reason: String,
}

/// Worker registry to limiter.
#[derive(Message)]
#[rtype(result = "LimiterState")]
pub struct Inspect;

#[derive(Clone, Debug, Default)]
pub struct LimiterState {
    /// Calls under way by simulation id.
    pub in_flight: HashMap<i64, u32>,
    /// Calls that may be under way at once.
    pub concurrency: usize,
    /// Calls that wait for a permit.
    pub waiting: usize,
    /// The limits that the model server's headers named last.
    pub reported: Option<Rates>,
    /// Calls that were answered since the start.
    pub traffic: Traffic,
    pub blocked_for: Option<Duration>,
}

impl<A: Actor, M: Message<Result = Self>> MessageResponse<A, M> for LimiterState {
    fn handle(self, _: &mut A::Context, reply: Option<OneshotSender<Self>>) {
        if let Some(reply) = reply {
            let _ = reply.send(self);
        }
    }
}
