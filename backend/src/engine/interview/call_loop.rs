//! An interview in progress: its calls one after the other, and its reports, of which at most one is unanswered.
//!
//! Here is what it goes through from its claim to its end; [`calls`](super::calls) makes its calls, and
//! [`reports`](super::reports) tells what came of them.

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::batched::InBatches;
use super::outcome::{CallSettlement, Pending};
use super::staged::{Call, Next, open_items};
use super::{Interview, crashed};
use crate::engine::messages::{Interrupted, RunState, Unsettled};
use crate::llm::prompt::{self, PromptItem, Sheet, SystemMessage};
use crate::models::call_replies::NewCallReply;
use crate::models::settlement::{AskedPrompt, Booked, CallUsage, NotShown};

pub struct Session {
    pub(super) interview: Interview,
    pub(super) persona: Option<SystemMessage>,
    /// The message in the queue says that this delivery broke off: true from now on if the worker dies.
    pub(super) noted: bool,
    /// Requests that were open at the claim.
    pub(super) open: usize,
    /// Outages of the model server before the last permit.
    pub(super) outages: u32,
    /// When the last call was sent.
    pub(super) call_began: Instant,
    /// Calls made since the last report.
    pub(super) usage: CallUsage,
    /// Parameters that the answered calls were sent without.
    pub(super) left_out: Vec<&'static str>,
    /// How to build the prompts of unusual calls again, whose answers were not reported yet.
    pub(super) prompts: Vec<AskedPrompt>,
    /// In a run that keeps them: replies that are not reported yet.
    pub(super) replies: Vec<NewCallReply>,
    /// Requests that turned out to be hidden, and are not reported yet.
    pub(super) not_shown: Vec<NotShown>,
    /// In a run with a design: the stage after the call that was settled.
    next: Option<Box<Next>>,
    /// The reply to the report that is being booked.
    pub(super) booking: Option<oneshot::Receiver<Result<Booked, Unsettled>>>,
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
            replies: Vec::new(),
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
        let mut chunks = prompt::calls(&run.questions, &open, run.parameters.questions_per_call).peekable();
        if chunks.peek().is_none() {
            self.report(Vec::new(), Vec::new(), true).await?;
        }
        while let Some(chunk) = chunks.next() {
            let ask = |question| {
                PromptItem::new(question, &run.parameters, self.interview.persona_id).after_texts_of(&run.questions)
            };
            let pending = chunk.into_iter().map(|question| Pending::new(ask(question))).collect();
            self.ask(pending, Call::Chunk { is_last: chunks.peek().is_none() }).await?;
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

    /// Fails if the interview must not go on, as far as this worker knows.
    pub(super) fn check(&self) -> Result<(), Interrupted> {
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
