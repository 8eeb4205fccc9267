//! How an interview goes: chunk by chunk, call by call, until every open question has an answer or a failure.

mod lease_clock;
mod outcome;
mod retry;
mod session;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use actix::prelude::*;
use tokio::sync::watch;

pub use self::lease_clock::LeaseClock;
use self::session::Session;
use super::budget::Settle;
use super::limiter::Acquire;
use super::supervisor::{LoadText, Order, Trouble};
use crate::llm::Llm;
use crate::models::questions::Question;
use crate::models::queue::Lease;
use crate::models::simulations::Parameters;

/// What all interviews of a run share.
#[derive(Debug)]
pub struct Run {
    pub id: i64,
    pub persona_set_id: i32,
    pub attempt: i32,
    pub parameters: Parameters,
    pub questions: Vec<Question>,
    /// Calls that one request may cost.
    pub max_attempts: u16,
    /// The model server has answered a call of this run.
    pub answered: AtomicBool,
}

/// Whom a run's interviews talk to.
pub struct Contacts {
    pub llm: Llm,
    pub limiter: Recipient<Acquire>,
    pub budget: Recipient<Settle>,
    pub texts: Recipient<LoadText>,
    pub trouble: Recipient<Trouble>,
}

/// Why an interview ended before its end.
#[derive(Debug)]
pub enum Halt {
    /// The run was paused, or the worker shuts down: somebody goes on later.
    HandedBack,
    /// The run was stopped or is over.
    RunOver,
    LeaseLost,
    /// Something broke; the delivery counts against the interview.
    Crashed(String),
}

pub struct Interview {
    pub run: Arc<Run>,
    pub persona_id: i32,
    pub lease: Lease,
    pub deliveries: i32,
    /// Questions without an answer, by id.
    pub open: Vec<i64>,
    /// Length of the twin's text in bytes, for the estimate before it is loaded.
    pub text_length: usize,
    pub contacts: Rc<Contacts>,
    pub orders: watch::Receiver<Order>,
    pub tenure: Rc<LeaseClock>,
}

impl Interview {
    pub fn hold(self) -> impl Future<Output = Result<(), Halt>> {
        Session::new(self).hold()
    }
}

fn crashed(reason: impl std::fmt::Display) -> Halt {
    Halt::Crashed(reason.to_string())
}
