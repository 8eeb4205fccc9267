//! The calls of an interview: each waits for a permit, is sent once, and its outcome is told to the limiter.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::call_loop::{Session, interrupted};
use super::outcome::{CallSettlement, Pending, asked, one_more_attempt, sort_answers};
use super::staged::Call;
use super::{Interview, crashed};
use crate::engine::limiter::{Acquire, CallEnd, Permit};
use crate::engine::messages::{CallAnswered, Interrupted, LoadText, RunState};
use crate::llm::prompt::{self, Prompt, Recipe, SystemMessage};
use crate::llm::{CallError, CallOutcome, Completion, Dialect};
use crate::metrics;

/// How long the reply of a call may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyRoom {
    pub(super) tokens: u32,
    /// A reply was cut off before.
    pub(super) enlarged: bool,
}

impl ReplyRoom {
    pub(super) fn of(pending: &[Pending<'_>]) -> Self {
        Self { tokens: prompt::max_tokens(&asked(pending)), enlarged: false }
    }
}

impl Session {
    /// Asks until none of these requests is pending. Reports after every call that settled some.
    pub(super) async fn ask(&mut self, mut pending: Vec<Pending<'_>>, call: Call<'_>) -> Result<(), Interrupted> {
        let run = self.interview.run.clone();
        if run.parameters.batch {
            return Box::pin(self.ask_in_batch(pending, call)).await;
        }
        let mut room = ReplyRoom::of(&pending);
        while !pending.is_empty() {
            let loaded = self.persona.is_some();
            let permit = self.permit(&pending, call).await?;
            if std::mem::replace(&mut self.outages, permit.outages()) != permit.outages() {
                pending = pending.into_iter().map(Pending::without_failed_calls).collect();
            }
            if permit.is_for_a_probe() {
                pending = self.probe(permit, pending).await?;
                continue;
            }
            let persona = self.persona().await?;
            let (place, waited) = self.place().await?;
            // While the text was loaded, the server may have been blocked or the lease may have run out. An interview
            // that waits for a renewal must not keep a permit.
            if (waited || !loaded) && !permit.still_holds().await || !self.interview.lease_clock.holds() {
                continue;
            }
            if !self.note_call().await? {
                continue;
            }
            let asked = asked(&pending);
            let dialect = self.interview.contacts.llm.dialect();
            let prompt = Prompt::build_after(call.earlier(), &persona, &run.parameters, &asked, dialect, room.tokens);
            drop(persona);
            let (hash, dialect) = (prompt.hash(), prompt.dialect());
            // Boxed, so that an interview that waits for a permit does not reserve the memory of a call.
            let CallOutcome { result, rate_limits } = Box::pin(self.call(prompt)).await?;
            self.usage.calls += 1;
            let mut place = self.is_suspect().then_some(place);
            let mut outcome = match result {
                Ok(completion) => {
                    let usage = &completion.usage;
                    let end = CallEnd::Completed {
                        latency: completion.latency.unwrap_or_default(),
                        tokens: usage.prompt + usage.completion,
                        headers: rate_limits,
                    };
                    permit.finish(end).await;
                    self.sort(pending, completion, (hash, dialect), &mut room, call)
                }
                Err(error) => {
                    if place.is_some() {
                        self.acquit().await;
                    }
                    drop(place.take());
                    Box::pin(self.handle_failed_call(error, permit, pending)).await?
                }
            };
            let finished = self.is_finished(&mut outcome, call);
            pending = outcome.again;
            if finished {
                // Free the text while the last report waits for its batch.
                self.persona = None;
            }
            if !outcome.answers.is_empty() || !outcome.failures.is_empty() {
                self.report(outcome.answers, outcome.failures, finished).await?;
                if place.is_some() {
                    // What is stored is progress: from now on it is an interview like others.
                    self.booked().await?;
                    self.interview.breaks = None;
                }
            } else if place.is_some() {
                self.acquit().await;
            }
        }
        Ok(())
    }

    /// What a completion of this prompt means for the requests that it asked.
    pub(super) fn sort<'a>(
        &mut self,
        pending: Vec<Pending<'a>>,
        completion: Completion,
        (hash, dialect): ([u8; 32], Dialect),
        room: &mut ReplyRoom,
        call: Call<'_>,
    ) -> CallSettlement<'a> {
        self.note_answer();
        self.count(&completion);
        self.keep(hash, &completion);
        self.left_out = dialect.omitted_params();
        let max_attempts = self.interview.run.max_attempts;
        if completion.is_truncated() && !room.enlarged {
            *room = ReplyRoom { tokens: room.tokens.saturating_mul(4), enlarged: true };
            return one_more_attempt(pending, max_attempts, "truncated", "the reply was cut off", None);
        }
        let asked = asked(&pending);
        let recipe = match call {
            Call::Chunk { .. } => Recipe::of(&asked, dialect, room.tokens),
            Call::Staged(sheet) => Recipe::of_sheet(sheet, &asked, dialect, room.tokens),
        };
        let outcome = sort_answers(pending, hash, completion, max_attempts);
        self.remember(recipe, hash, &outcome.answers, call);
        outcome
    }

    /// Finds out whether the server answers at all. The requests lose nothing by it.
    async fn probe<'a>(&mut self, permit: Permit, pending: Vec<Pending<'a>>) -> Result<Vec<Pending<'a>>, Interrupted> {
        let dialect = self.interview.contacts.llm.dialect();
        let prompt = Prompt::probe(&self.interview.run.parameters, dialect);
        let CallOutcome { result, .. } = Box::pin(self.call(prompt)).await?;
        self.usage.calls += 1;
        match result {
            Ok(completion) => {
                self.note_answer();
                self.count(&completion);
                permit.finish(CallEnd::Answered).await;
            }
            // The server minds the probe, so it is there.
            Err(CallError::Rejected { .. } | CallError::Garbled { .. }) => {
                permit.finish(CallEnd::Answered).await;
            }
            Err(error) => return Ok(Box::pin(self.handle_failed_call(error, permit, pending)).await?.again),
        }
        Ok(pending)
    }

    /// The server answers calls of this run: whatever it refused before was not refused to everybody.
    fn note_answer(&self) {
        let Interview { run, contacts, .. } = &self.interview;
        if run.refused.load(Ordering::Relaxed) && run.refused.swap(false, Ordering::Relaxed) {
            contacts.answered.do_send(CallAnswered);
        }
    }

    /// Waits for the limiter's permit.
    async fn permit(&mut self, pending: &[Pending<'_>], call: Call<'_>) -> Result<Permit, Interrupted> {
        self.may_continue().await?;
        let questions: usize = pending.iter().map(|pending| pending.asked.question.text.len() + 200).sum();
        let texts: usize = pending.last().iter().flat_map(|last| &last.asked.texts).map(|text| text.len()).sum();
        let (reply, granted) = oneshot::channel();
        let request = Acquire {
            run: self.interview.run.id,
            started: self.persona.is_some(),
            estimated_tokens: prompt::tokens_of(self.interview.text_length + call.earlier().len() + texts + questions),
            reply,
        };
        self.interview.contacts.limiter.do_send(request);
        tokio::select! {
            permit = granted => {
                // The state may have changed together with the grant.
                self.check()?;
                permit.map_err(|_| Interrupted::Released)
            }
            interrupted = interrupted(&mut self.interview.state, RunState::Paused) => Err(interrupted),
        }
    }

    /// The persona's part of the prompts. Its text is loaded after the first permit and dropped after the last call, so
    /// memory follows the calls at once.
    pub(super) async fn persona(&mut self) -> Result<SystemMessage, Interrupted> {
        if let Some(persona) = &self.persona {
            return Ok(persona.clone());
        }
        let request = LoadText(self.interview.persona_id);
        let text = tokio::select! {
            text = self.interview.contacts.texts.send(request) => text.map_err(crashed)?.map_err(Interrupted::Crashed)?,
            interrupted = interrupted(&mut self.interview.state, RunState::Paused) => return Err(interrupted),
        };
        let persona = SystemMessage::new(&text);
        self.persona = Some(persona.clone());
        Ok(persona)
    }

    /// Makes the call. A pause lets it finish; a stop drops it.
    async fn call(&mut self, prompt: Prompt) -> Result<CallOutcome, Interrupted> {
        self.check()?;
        self.call_began = Instant::now();
        tokio::select! {
            outcome = self.interview.contacts.llm.ask(prompt) => {
                metrics::called(word(&outcome.result), self.call_began.elapsed());
                Ok(outcome)
            }
            interrupted = interrupted(&mut self.interview.state, RunState::Stopped) => Err(interrupted),
        }
    }
}

/// A call's outcome in one word, for the metrics.
fn word(reply: &Result<Completion, CallError>) -> &'static str {
    match reply {
        Ok(completion) if completion.is_refused() => "refused",
        Ok(completion) if completion.is_truncated() => "truncated",
        Ok(_) => "answered",
        Err(error) => error.code(),
    }
}
