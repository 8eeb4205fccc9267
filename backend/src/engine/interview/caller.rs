//! How an interview reaches the model server: its persona's text, a permit for each call, and the call itself.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix::prelude::*;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::call_gate::CallGate;
use super::outcome::Pending;
use super::run_watch::RunWatch;
use crate::db::{self, AsyncPool};
use crate::engine::limiter::{Acquire, Permit};
use crate::engine::messages::{CallAnswered, CallRefused, Interrupted, LoadText, Refusal, RunContext, Settle};
use crate::error::Error;
use crate::llm::prompt::{SystemMessage, tokens_of};
use crate::llm::wire::{EncodedPrompt, Opening};
use crate::llm::{CallError, CallOutcome, Completion, Llm, ModelRefusal};
use crate::metrics;
use crate::models::model_refusals;

/// Connections that all interviews of a run on one worker share.
pub struct Contacts {
    pub worker: WorkerContacts,
    pub texts: Recipient<LoadText>,
    pub refusals: Recipient<CallRefused>,
    pub answered: Recipient<CallAnswered>,
}

/// Connections that all interviews on one worker share.
#[derive(Clone)]
pub struct WorkerContacts {
    pub pool: AsyncPool,
    pub llm: Llm,
    pub limiter: Recipient<Acquire>,
    pub budget: Recipient<Settle>,
    pub call_gate: CallGate,
}

/// Makes the calls of one interview.
pub struct ModelCaller {
    pub run: Arc<RunContext>,
    pub persona_id: i32,
    pub contacts: Rc<Contacts>,
    pub watch: RunWatch,
    /// Length of the persona's text in bytes, to estimate tokens before it is loaded.
    text_length: usize,
    /// The persona's part of the requests, from the first permit to the last call.
    opening: Option<Opening>,
    /// Outages of the model server before the last permit.
    outages: u32,
    /// When the last call was sent.
    call_began: Instant,
}

impl ModelCaller {
    pub fn new(
        run: Arc<RunContext>,
        persona_id: i32,
        text_length: usize,
        contacts: Rc<Contacts>,
        watch: RunWatch,
    ) -> Self {
        let call_began = Instant::now();
        Self { run, persona_id, contacts, watch, text_length, opening: None, outages: 0, call_began }
    }

    /// Waits for the limiter's permit to ask these requests after `earlier`.
    pub async fn acquire_permit(&mut self, pending: &[Pending<'_>], earlier: &str) -> Result<Permit, Interrupted> {
        self.watch.may_continue().await?;
        let questions: usize = pending.iter().map(|pending| pending.asked.question.text.len() + 200).sum();
        let texts: usize = pending.last().iter().flat_map(|last| &last.asked.texts).map(|text| text.len()).sum();
        let (reply, granted) = oneshot::channel();
        let request = Acquire {
            run: self.run.id,
            started: self.has_text(),
            estimated_tokens: tokens_of(self.text_length + earlier.len() + texts + questions),
            reply,
        };
        self.contacts.worker.limiter.do_send(request);
        let permit = self.watch.unless_paused(granted).await?;
        // The state may have changed together with the grant.
        self.watch.check()?;
        permit.map_err(|_| Interrupted::Released)
    }

    /// Whether an outage that no request is to blame for began since the permit before this one.
    pub fn notice_outage(&mut self, permit: &Permit) -> bool {
        std::mem::replace(&mut self.outages, permit.outages()) != permit.outages()
    }

    pub fn has_text(&self) -> bool {
        self.opening.is_some()
    }

    /// The persona's part of the requests. Its text is loaded after the first permit and dropped after the last call, so
    /// memory follows the calls under way.
    pub async fn opening(&mut self) -> Result<Opening, Interrupted> {
        if let Some(opening) = &self.opening {
            return Ok(opening.clone());
        }
        let text = self.watch.unless_paused(self.contacts.texts.send(LoadText(self.persona_id))).await?;
        let text = text.map_err(Interrupted::crashed)?.map_err(Interrupted::Crashed)?;
        let opening = self.contacts.worker.llm.open(&SystemMessage::of_run(&text, &self.run.parameters));
        self.opening = Some(opening.clone());
        Ok(opening)
    }

    pub fn drop_text(&mut self) {
        self.opening = None;
    }

    /// Makes the call. A pause lets it finish; a stop drops it.
    pub async fn send(&mut self, prompt: EncodedPrompt) -> Result<CallOutcome, Interrupted> {
        self.watch.check()?;
        self.call_began = Instant::now();
        let outcome = self.watch.unless_stopped(self.contacts.worker.llm.ask(prompt)).await?;
        metrics::called(outcome_word(&outcome.result), self.call_began.elapsed());
        Ok(outcome)
    }

    /// Stores what the server has just refused, for the starts of later runs. The call does not depend on it.
    pub async fn store_refusals(&self) {
        let refusals = self.contacts.worker.llm.take_refusals();
        if refusals.is_empty() {
            return;
        }
        let stored = store_refusals(&self.contacts.worker.pool, self.run.parameters.server(), &refusals).await;
        if let Err(error) = stored {
            tracing::warn!(%error, "the model server's refusal of a parameter could not be stored");
        }
    }

    /// The server answers requests of this run: what it refused before was not refused to every interview, and not all
    /// calls time out.
    pub fn note_answer(&self) {
        if was_set(&self.run.refused) | was_set(&self.run.timed_out) {
            self.contacts.answered.do_send(CallAnswered { is_probe: false });
        }
    }

    /// The server answers a tiny call. It may still be too slow for the requests of the run.
    pub fn note_answered_probe(&self) {
        if was_set(&self.run.refused) {
            self.contacts.answered.do_send(CallAnswered { is_probe: true });
        }
    }

    /// Tells the supervisor that the last call was refused. Returns whether the interview goes back to the queue.
    pub async fn report_refusal(&self, refusal: Refusal, message: String) -> bool {
        let refused = self.refused_call(refusal, message);
        self.contacts.refusals.send(refused).await.unwrap_or(false)
    }

    /// Tells the supervisor that the last call was rejected, and waits until it is clear whether it was rejected alone.
    /// Returns whether the interview goes back to the queue.
    pub async fn await_verdict(&mut self, message: String) -> Result<bool, Interrupted> {
        let refused = self.refused_call(Refusal::Rejected, message);
        let verdict = self.contacts.refusals.send(refused);
        Ok(self.watch.unless_paused(verdict).await?.unwrap_or(false))
    }

    fn refused_call(&self, refusal: Refusal, message: String) -> CallRefused {
        CallRefused { persona_id: self.persona_id, refusal, message, call_began: self.call_began }
    }
}

async fn store_refusals(pool: &AsyncPool, server: &str, refusals: &[ModelRefusal]) -> Result<(), Error> {
    let conn = &mut *db::checkout(pool).await?;
    for ModelRefusal { model, parameter, value } in refusals {
        model_refusals::note(conn, server, model, parameter, value).await?;
    }
    Ok(())
}

/// Resets the flag. Nearly always there is nothing to reset, and reading is cheaper.
fn was_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed) && flag.swap(false, Ordering::Relaxed)
}

/// A call's outcome in one word, for the metrics.
fn outcome_word(reply: &Result<Completion, CallError>) -> &'static str {
    match reply {
        Ok(completion) if completion.is_refused() => "refused",
        Ok(completion) if completion.is_truncated() => "truncated",
        Ok(_) => "answered",
        Err(error) => error.code(),
    }
}
