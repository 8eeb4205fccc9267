//! An interview: chunk by chunk, call by call, until every open question has an answer or a failure.

mod batched;
mod call_gate;
mod call_loop;
mod calls;
mod crash_isolation;
mod lease_clock;
#[cfg(test)]
mod outage_tests;
mod outcome;
mod reports;
mod retry;
mod staged;

use std::rc::Rc;
use std::sync::Arc;

use actix::prelude::*;
use tokio::sync::watch;

pub use self::call_gate::Places;
use self::call_loop::Session;
pub use self::call_loop::interrupted;
pub use self::lease_clock::LeaseClock;
use super::limiter::Acquire;
use super::messages::{CallAnswered, CallRefused, Interrupted, LoadText, RunContext, RunState, Settle};
use crate::db::AsyncPool;
use crate::llm::Llm;
use crate::models::assignments::Standing;
use crate::models::batches::WaitingCall;
use crate::models::queue::Lease;

/// What a run's interviews work with.
pub struct Contacts {
    pub llm: Llm,
    pub limiter: Recipient<Acquire>,
    pub budget: Recipient<Settle>,
    pub texts: Recipient<LoadText>,
    pub refusals: Recipient<CallRefused>,
    pub answered: Recipient<CallAnswered>,
    pub pool: AsyncPool,
    pub places: Places,
}

pub struct Interview {
    pub run: Arc<RunContext>,
    pub persona_id: i32,
    pub lease: Lease,
    /// Deliveries in a row that ended during a call with nothing stored since; `None`: this is the first delivery.
    pub breaks: Option<i32>,
    /// Questions without an answer, by id.
    pub open: Vec<i64>,
    /// Length of the persona's text in bytes, to estimate tokens before it is loaded.
    pub text_length: usize,
    /// In a run with a design.
    pub standing: Option<Box<Standing>>,
    /// In a run that asks in batches: what it waits for, or was answered.
    pub waiting: Option<Box<WaitingCall>>,
    pub contacts: Rc<Contacts>,
    pub state: watch::Receiver<RunState>,
    pub lease_clock: Rc<LeaseClock>,
}

impl Interview {
    pub fn conduct(self) -> impl Future<Output = Result<(), Interrupted>> {
        Session::new(self).conduct()
    }
}

fn crashed(reason: impl std::fmt::Display) -> Interrupted {
    Interrupted::Crashed(reason.to_string())
}
