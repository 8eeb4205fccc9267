//! An interview in progress: its calls one after the other, and its reports, of which at most one is unanswered.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::batched::InBatches;
use super::outcome::{CallSettlement, Pending, asked, one_more_attempt, sort_answers};
use super::staged::{Call, Next, open_items};
use super::{Interview, crashed};
use crate::engine::limiter::{Acquire, CallEnd, Permit};
use crate::engine::messages::{CallAnswered, Interrupted, LoadText, RunState, Settle, Unsettled};
use crate::llm::prompt::{self, Prompt, PromptItem, Recipe, Sheet, SystemMessage};
use crate::llm::{CallError, CallOutcome, Completion, Dialect};
use crate::metrics;
use crate::models::settlement::{
    AskedPrompt, Booked, CallChange, CallUsage, InterviewReport, NewAnswer, NewFailure, NotShown,
};

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

pub struct Session {
    pub(super) interview: Interview,
    persona: Option<SystemMessage>,
    /// The message in the queue says that this delivery broke off: true from now on if the worker dies.
    pub(super) noted: bool,
    /// Requests that were open at the claim.
    pub(super) open: usize,
    /// Outages of the model server before the last permit.
    outages: u32,
    /// When the last call was sent.
    pub(super) call_began: Instant,
    /// Calls made since the last report.
    pub(super) usage: CallUsage,
    /// Parameters that the answered calls were sent without.
    left_out: Vec<&'static str>,
    /// How to build the prompts of unusual calls again, whose answers were not reported yet.
    prompts: Vec<AskedPrompt>,
    /// Requests that turned out to be hidden, and are not reported yet.
    not_shown: Vec<NotShown>,
    /// In a run with a design: the stage after the call that was settled.
    next: Option<Box<Next>>,
    /// The reply to the report that is being booked.
    booking: Option<oneshot::Receiver<Result<Booked, Unsettled>>>,
    /// In a run that asks in batches.
    pub(super) in_batches: InBatches,
}

impl Session {
    pub fn new(interview: Interview) -> Self {
        Self {
            open: interview.open.len(),
            noted: false,
            outages: 0,
            call_began: Instant::now(),
            interview,
            persona: None,
            usage: CallUsage::default(),
            left_out: Vec::new(),
            prompts: Vec::new(),
            not_shown: Vec::new(),
            next: None,
            booking: None,
            in_batches: InBatches::default(),
        }
    }

    /// Asks every open question. If it is interrupted, it reports the calls that were not reported yet.
    #[expect(clippy::manual_async_fn, reason = "an async function would store its argument twice, thousands of times")]
    pub fn conduct(mut self) -> impl Future<Output = Result<(), Interrupted>> {
        async move {
            let result = self.ask_all().await;
            if matches!(result, Err(Interrupted::Released)) {
                self.report(Vec::new(), Vec::new(), false).await?;
                self.booked().await?;
            }
            result
        }
    }

    async fn ask_all(&mut self) -> Result<(), Interrupted> {
        let run = self.interview.run.clone();
        if self.is_guilty() {
            return self.give_up().await;
        }
        if run.plan.is_some() {
            return Box::pin(self.ask_staged()).await;
        }
        let open = std::mem::take(&mut self.interview.open);
        let chunks = prompt::calls(&run.questions, &open, run.parameters.questions_per_call);
        let last = chunks.len();
        for (number, chunk) in chunks.iter().enumerate() {
            let ask = |question| {
                PromptItem::new(question, &run.parameters, self.interview.persona_id).after_texts_of(&run.questions)
            };
            let pending = chunk.iter().map(|question| Pending::new(ask(question)));
            self.ask(pending.collect(), Call::Chunk { is_last: number + 1 == last }).await?;
        }
        if last == 0 {
            self.report(Vec::new(), Vec::new(), true).await?;
        }
        self.booked().await
    }

    /// The same in a run with a design: one stage after the other, until the walk finds no more.
    async fn ask_staged(&mut self) -> Result<(), Interrupted> {
        let run = self.interview.run.clone();
        let Some(plan) = &run.plan else { return Ok(()) };
        let Some(standing) = &mut self.interview.standing else { return Err(crashed("no assignment was loaded")) };
        let Next { mut stage, not_shown, failures } = standing.next(plan, &run.parameters);
        self.not_shown.extend(not_shown);
        if stage.is_none() || !failures.is_empty() {
            self.report(Vec::new(), failures, stage.is_none()).await?;
        }
        while let Some(asked) = stage {
            let Some(standing) = &self.interview.standing else { break };
            let sheet = Sheet::new(plan, &asked, &standing.answers, &run.parameters, self.interview.persona_id);
            let pending = open_items(&sheet, &asked).map(Pending::new).collect();
            self.ask(pending, Call::Staged(&sheet)).await?;
            stage = self.next.take().and_then(|next| next.stage);
        }
        self.booked().await
    }

    /// What becomes of the interview once a call is settled: returns whether nothing is asked after it. In a run with a
    /// design, what the walk finds then is added to the outcome.
    pub(super) fn is_finished(&mut self, outcome: &mut CallSettlement<'_>, call: Call<'_>) -> bool {
        let is_settled = outcome.again.is_empty();
        if let Call::Chunk { is_last } = call {
            return is_last && is_settled;
        }
        let run = self.interview.run.clone();
        let (Some(standing), Some(plan)) = (&mut self.interview.standing, &run.plan) else { return is_settled };
        standing.note(outcome);
        if !is_settled {
            return false;
        }
        let mut next = standing.next(plan, &run.parameters);
        outcome.failures.append(&mut next.failures);
        self.not_shown.append(&mut next.not_shown);
        let is_finished = next.stage.is_none();
        self.next = Some(Box::new(next));
        is_finished
    }

    /// Asks until none of these requests is pending. Reports after every call that settled some.
    async fn ask(&mut self, mut pending: Vec<Pending<'_>>, call: Call<'_>) -> Result<(), Interrupted> {
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
                        latency: completion.latency,
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

    /// Keeps how the prompt of these answers is built again, unless it is the usual one.
    fn remember(&mut self, recipe: Recipe, hash: [u8; 32], answers: &[NewAnswer], call: Call<'_>) {
        let run = &self.interview.run;
        let Some(answer) = answers.first() else { return };
        let standard = match call {
            Call::Chunk { .. } => Recipe::standard(&run.questions, answer.question_id, &run.parameters),
            Call::Staged(sheet) => Some(Recipe::standard_of_sheet(sheet)),
        };
        if standard.as_ref() != Some(&recipe) {
            // A recipe is ids, numbers and texts, which JSON can always hold.
            self.prompts.extend(serde_json::to_value(recipe).map(|recipe| AskedPrompt { hash, recipe }));
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

    /// Fails if the interview must not go on, as far as this worker knows.
    fn check(&self) -> Result<(), Interrupted> {
        let Interview { lease_clock, state, .. } = &self.interview;
        if let Some(interrupted) = interruption(*state.borrow()) {
            return Err(interrupted);
        }
        if lease_clock.is_lost() { Err(Interrupted::LeaseLost) } else { Ok(()) }
    }

    /// The same, after the renewal of a lease that ran out.
    pub(super) async fn may_continue(&mut self) -> Result<(), Interrupted> {
        let Interview { lease_clock, state, .. } = &mut self.interview;
        tokio::select! {
            biased;
            interrupted = interrupted(state, RunState::Paused) => return Err(interrupted),
            () = lease_clock.settled() => {}
        }
        self.check()
    }

    fn count(&mut self, completion: &Completion) {
        self.usage += CallUsage {
            calls: 0,
            prompt_tokens: completion.usage.prompt.into(),
            cached_tokens: completion.usage.cached.into(),
            completion_tokens: completion.usage.completion.into(),
        };
    }

    /// Reports to the budget actor without waiting for it; the next report waits until this one is booked.
    pub(super) async fn report(
        &mut self,
        answers: Vec<NewAnswer>,
        failures: Vec<NewFailure>,
        finished: bool,
    ) -> Result<(), Interrupted> {
        self.booked().await?;
        let Interview { run, persona_id, lease, contacts, .. } = &self.interview;
        let (usage, left_out) = (std::mem::take(&mut self.usage), std::mem::take(&mut self.left_out));
        let (persona_id, lease, prompts) = (*persona_id, *lease, std::mem::take(&mut self.prompts));
        let not_shown = std::mem::take(&mut self.not_shown);
        let call_change = match std::mem::take(&mut self.in_batches.call_change) {
            CallChange::Keep if finished && run.parameters.batch => CallChange::Replace(None),
            change => change,
        };
        let report = InterviewReport {
            persona_id,
            lease,
            answers,
            failures,
            not_shown,
            usage,
            left_out,
            prompts,
            finished,
            call_change,
        };
        let (reply, booked) = oneshot::channel();
        contacts.budget.do_send(Settle { run: run.id, report, reply });
        self.booking = Some(booked);
        Ok(())
    }

    /// Waits until the last report is committed.
    pub(super) async fn booked(&mut self) -> Result<(), Interrupted> {
        let Some(booking) = self.booking.take() else { return Ok(()) };
        match booking.await.map_err(|_| crashed("the budget actor stopped"))?.map_err(crashed)? {
            Booked::Stored => Ok(()),
            Booked::LeaseLost => Err(Interrupted::LeaseLost),
            Booked::RunFinished => Err(Interrupted::RunFinished),
        }
    }
}

/// Resolves when the run's state is `at_least` this strict.
pub async fn interrupted(state: &mut watch::Receiver<RunState>, at_least: RunState) -> Interrupted {
    let state = state.wait_for(|state| *state >= at_least).await;
    // An error means that the supervisor is gone.
    state.ok().and_then(|state| interruption(*state)).unwrap_or(Interrupted::Released)
}

fn interruption(state: RunState) -> Option<Interrupted> {
    match state {
        RunState::Running => None,
        RunState::Paused => Some(Interrupted::Released),
        RunState::Stopped => Some(Interrupted::RunFinished),
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
