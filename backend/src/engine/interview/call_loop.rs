//! The loop of an interview: its calls one after the other, each settled and reported before the next one.

use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::watch;

use super::accounting::Accounting;
use super::batched::{self, BatchReport, BatchedCall};
use super::caller::{Contacts, ModelCaller};
use super::crash_isolation::CrashIsolation;
use super::lease_clock::LeaseClock;
use super::outcome::{CallSettlement, Pending, ReplyRoom, ask_with_more_room, asked, runs_on, sort_answers};
use super::reports::Reports;
use super::retry;
use super::run_watch::RunWatch;
use super::staged::{Call, StagedWalk, open_items};
use crate::engine::limiter::{CallEnd, Permit};
use crate::engine::messages::{Interrupted, Refusal, RunContext, RunState};
use crate::llm::prompt::{self, ModelParameter, Prompt, PromptItem, SystemMessage};
use crate::llm::{CallError, CallOutcome, Completion, Dialect};
use crate::models::batches::WaitingCall;
use crate::models::queue::Lease;
use crate::models::settlement::{CallChange, InterviewReport, NewAnswer, NewFailure};
use crate::models::simulations::claims::Claimed;

/// An interview as it was claimed.
pub struct Interview {
    pub run: Arc<RunContext>,
    pub claimed: Claimed,
    pub contacts: Rc<Contacts>,
    pub state: watch::Receiver<RunState>,
    pub lease_clock: Rc<LeaseClock>,
}

impl Interview {
    /// Asks every open question. If it is interrupted, it reports the calls that were not reported yet.
    pub fn conduct(self) -> impl Future<Output = Result<(), Interrupted>> {
        CallLoop::new(self).run()
    }
}

/// An interview in progress.
struct CallLoop {
    lease: Lease,
    /// Questions without an answer, by id, until the first call.
    open: Vec<i64>,
    /// Walk through the design; `None` in a plain run.
    walk: Option<Box<StagedWalk>>,
    waiting: Option<Box<WaitingCall>>,
    caller: ModelCaller,
    isolation: CrashIsolation,
    accounting: Accounting,
    reports: Reports,
    /// Results that are not reported yet in a run that asks in batches.
    batch_report: BatchReport,
}

impl CallLoop {
    fn new(interview: Interview) -> Self {
        let Interview { run, claimed, contacts, state, lease_clock } = interview;
        let Claimed { persona_id, lease, breaks, open, text_length, progress, waiting, .. } = claimed;
        let watch = RunWatch::new(state, lease_clock);
        Self {
            isolation: CrashIsolation::new(lease, breaks, open.len()),
            caller: ModelCaller::new(run, persona_id, text_length, contacts, watch),
            walk: progress.map(|progress| Box::new(StagedWalk::new(*progress))),
            lease,
            open,
            waiting,
            accounting: Accounting::default(),
            reports: Reports::default(),
            batch_report: BatchReport::default(),
        }
    }

    #[expect(clippy::manual_async_fn, reason = "an async function would store its argument twice, thousands of times")]
    fn run(mut self) -> impl Future<Output = Result<(), Interrupted>> {
        async move {
            let result = self.ask_all().await;
            if matches!(result, Err(Interrupted::Released)) {
                self.report(Vec::new(), Vec::new(), false).await?;
                self.reports.booked().await?;
            }
            result
        }
    }

    async fn ask_all(&mut self) -> Result<(), Interrupted> {
        if self.isolation.is_poison() {
            let failures = self.isolation.failures(&self.open);
            self.report(Vec::new(), failures, true).await?;
        } else if self.caller.run.plan.is_some() {
            Box::pin(self.ask_stages()).await?;
        } else {
            self.ask_chunks().await?;
        }
        self.reports.booked().await
    }

    /// Asks a plain survey, one chunk of open questions after the other.
    async fn ask_chunks(&mut self) -> Result<(), Interrupted> {
        let run = self.caller.run.clone();
        let open = std::mem::take(&mut self.open);
        let mut chunks = prompt::calls(&run.questions, &open, run.parameters.questions_per_call).peekable();
        if chunks.peek().is_none() {
            self.report(Vec::new(), Vec::new(), true).await?;
        }
        while let Some(chunk) = chunks.next() {
            let persona_id = self.caller.persona_id;
            let item = |question| PromptItem::new(question, &run.parameters, persona_id).after_texts_of(&run.questions);
            let pending = chunk.into_iter().map(|question| Pending::new(item(question))).collect();
            self.ask(pending, Call::Chunk { is_last: chunks.peek().is_none() }).await?;
        }
        Ok(())
    }

    /// Asks a survey with a design, one stage after the other, until the walk finds no more.
    async fn ask_stages(&mut self) -> Result<(), Interrupted> {
        let run = self.caller.run.clone();
        let Some(plan) = &run.plan else { return Ok(()) };
        let Some(walk) = &mut self.walk else { return Err(Interrupted::crashed("no assignment was loaded")) };
        let failures = walk.advance(plan, &run.parameters);
        let is_over = walk.is_over();
        if is_over || !failures.is_empty() {
            self.report(Vec::new(), failures, is_over).await?;
        }
        while let Some((stage, sheet)) = self.walk.as_mut().and_then(|walk| walk.take_stage(plan, &run.parameters)) {
            let pending = open_items(&sheet, &stage).map(Pending::new).collect();
            self.ask(pending, Call::Staged(&sheet)).await?;
        }
        Ok(())
    }

    /// Asks until none of these requests is pending.
    async fn ask(&mut self, pending: Vec<Pending<'_>>, call: Call<'_>) -> Result<(), Interrupted> {
        match self.caller.run.parameters.batch {
            true => Box::pin(self.ask_in_batch(pending, call)).await,
            false => self.ask_now(pending, call).await,
        }
    }

    /// Makes calls until none of these requests is pending. Reports after every call that settled some.
    async fn ask_now(&mut self, mut pending: Vec<Pending<'_>>, call: Call<'_>) -> Result<(), Interrupted> {
        let run = self.caller.run.clone();
        let mut room = ReplyRoom::new(&pending, self.caller.contacts.worker.llm.reasoning_room(&run.parameters));
        while !pending.is_empty() {
            let had_text = self.caller.has_text();
            let permit = self.caller.acquire_permit(&pending, call.earlier()).await?;
            if self.caller.notice_outage(&permit) {
                pending = pending.into_iter().map(Pending::without_failed_calls).collect();
            }
            if permit.is_for_a_probe() {
                pending = self.probe(permit, pending).await?;
                continue;
            }
            let opening = self.caller.opening().await?;
            let ModelCaller { contacts, watch, .. } = &mut self.caller;
            let (slot, waited) = self.isolation.acquire_slot(&contacts.worker.call_gate, watch).await?;
            // While the text was loaded, the server may have been blocked or the lease may have run out. An interview
            // that waits for a renewal must not keep a permit.
            if (waited || !had_text) && !permit.still_holds().await || !self.caller.watch.lease_holds() {
                continue;
            }
            if !self.isolation.note_call(&self.caller.contacts.worker.pool).await? {
                continue;
            }
            let llm = &self.caller.contacts.worker.llm;
            let asked = asked(&pending);
            room.include(ReplyRoom::new(&pending, llm.reasoning_room(&run.parameters)));
            let dialect = llm.dialect_of(&run.parameters);
            let prompt = Prompt::new(call.earlier(), &run.parameters, &asked, dialect, room.tokens);
            let prompt = llm.encode(&opening, &prompt);
            drop(opening);
            let sent = (prompt.hash(), prompt.sent().dialect);
            // Boxed, so that an interview that waits for a permit does not reserve the memory of a call.
            let CallOutcome { result, rate_limits } = Box::pin(self.caller.send(prompt)).await?;
            self.accounting.count_call();
            let mut exclusive = self.isolation.is_suspect().then_some(slot);
            let mut settlement = match result {
                Ok(completion) => {
                    let tokens = completion.usage.prompt + completion.usage.completion;
                    let latency = completion.latency.unwrap_or_default();
                    permit.finish(CallEnd::Completed { latency, tokens, headers: rate_limits }).await;
                    self.must_be_heeded(&completion).await?;
                    self.settle(pending, completion, sent, &mut room, call)
                }
                Err(error) => {
                    if exclusive.is_some() {
                        self.isolation.reset_crash_count(&self.caller.contacts.worker.pool).await;
                    }
                    drop(exclusive.take());
                    Box::pin(retry::settle_failed_call(&mut self.caller, error, permit, pending)).await?
                }
            };
            let is_finished = self.is_finished(&mut settlement, call);
            if is_finished {
                // The text is not needed while the last report waits for its batch.
                self.caller.drop_text();
            }
            let has_settled = settlement.has_settled();
            pending = settlement.again;
            if has_settled {
                self.report(settlement.answers, settlement.failures, is_finished).await?;
            }
            if exclusive.is_some() && has_settled {
                // What is stored is progress: from now on it is an interview like others.
                self.reports.booked().await?;
                self.isolation.clear();
            } else if exclusive.is_some() {
                self.isolation.reset_crash_count(&self.caller.contacts.worker.pool).await;
            }
        }
        Ok(())
    }

    /// Finds out whether the server answers at all. The requests lose nothing by it.
    async fn probe<'a>(&mut self, permit: Permit, pending: Vec<Pending<'a>>) -> Result<Vec<Pending<'a>>, Interrupted> {
        let llm = &self.caller.contacts.worker.llm;
        let parameters = &self.caller.run.parameters;
        let prompt = Prompt::probe(parameters, llm.dialect_of(parameters));
        let prompt = llm.encode(&llm.open(&SystemMessage::probe()), &prompt);
        let CallOutcome { result, .. } = Box::pin(self.caller.send(prompt)).await?;
        self.accounting.count_call();
        match result {
            Ok(completion) => {
                self.caller.note_answered_probe();
                self.accounting.count_tokens(&completion);
                permit.finish(CallEnd::Answered).await;
                Ok(pending)
            }
            // A server that refuses the probe is there.
            Err(CallError::Rejected { .. } | CallError::ParameterRefused { .. } | CallError::Garbled { .. }) => {
                permit.finish(CallEnd::Answered).await;
                Ok(pending)
            }
            Err(error) => {
                let settled = Box::pin(retry::settle_failed_call(&mut self.caller, error, permit, pending)).await?;
                Ok(settled.again)
            }
        }
    }

    /// Reads the reply of a batch if it has come, and writes down the next call.
    async fn ask_in_batch(&mut self, pending: Vec<Pending<'_>>, call: Call<'_>) -> Result<(), Interrupted> {
        let opening = self.caller.opening().await?;
        self.caller.watch.may_continue().await?;
        let (run, llm) = (self.caller.run.clone(), self.caller.contacts.worker.llm.clone());
        let encode = |prompt: &Prompt| llm.encode(&opening, prompt);
        let reasoning_room = llm.reasoning_room(&run.parameters);
        let mut next = BatchedCall::new(pending, llm.dialect_of(&run.parameters), reasoning_room);
        if let Some(waiting) = self.waiting.take()
            && let Some((known, prompt)) = next.recall(&waiting, &run.parameters, call, encode)
        {
            let Some(reply) = waiting.reply else { return self.wait_for_batch(CallChange::Wait).await };
            let BatchedCall { pending, mut room, dialect } = known;
            self.accounting.count_call();
            let mut settlement = match llm.read_line(&reply, prompt.sent()) {
                Ok(completion) => {
                    self.must_be_heeded(&completion).await?;
                    self.settle(pending, completion, (prompt.hash(), dialect), &mut room, call)
                }
                Err(error) => {
                    self.caller.store_refusals().await;
                    batched::settle_failed_call(&error, pending, run.max_attempts)
                }
            };
            if self.is_finished(&mut settlement, call) {
                return self.report(settlement.answers, settlement.failures, true).await;
            }
            self.batch_report.answers.append(&mut settlement.answers);
            self.batch_report.failures.append(&mut settlement.failures);
            if settlement.again.is_empty() {
                return Ok(());
            }
            // The next request leaves out what this server turned out not to know.
            next = BatchedCall {
                pending: settlement.again,
                room,
                dialect: dialect.common(llm.dialect_of(&run.parameters)),
            };
        }
        let prompt = encode(&next.prompt(&run.parameters, call));
        let new = next.to_new_call(&prompt).map_err(Interrupted::crashed)?;
        self.wait_for_batch(CallChange::Replace(Some(Box::new(new)))).await
    }

    /// Reports what was settled, and leaves the queue until the call is answered.
    async fn wait_for_batch(&mut self, call_change: CallChange) -> Result<(), Interrupted> {
        let BatchReport { answers, failures, .. } = std::mem::take(&mut self.batch_report);
        self.batch_report.call_change = call_change;
        self.report(answers, failures, true).await?;
        self.reports.booked().await?;
        Err(Interrupted::Waits)
    }

    /// Pauses the run if the server took one of its parameters without effect, unless the run leaves such parameters out. The
    /// call is paid.
    async fn must_be_heeded(&mut self, completion: &Completion) -> Result<(), Interrupted> {
        let parameters = &self.caller.run.parameters;
        let Some(parameter) = completion.ignored.filter(|_| !parameters.lenient) else { return Ok(()) };
        let message = prompt::parameter_refusal(parameters, parameter, "The server took it without effect");
        self.accounting.count_tokens(completion);
        if self.isolation.is_suspect() {
            self.isolation.reset_crash_count(&self.caller.contacts.worker.pool).await;
        }
        self.caller.store_refusals().await;
        // The reply of a batch is not read twice.
        self.batch_report.call_change = match parameters.batch {
            true => CallChange::Replace(None),
            false => CallChange::Keep,
        };
        self.caller.report_refusal(Refusal::Parameter, message).await;
        Err(Interrupted::Released)
    }

    /// Settles the requests of a prompt with this hash and dialect by its completion.
    fn settle<'a>(
        &mut self,
        pending: Vec<Pending<'a>>,
        completion: Completion,
        (hash, dialect): ([u8; 32], Dialect),
        room: &mut ReplyRoom,
        call: Call<'_>,
    ) -> CallSettlement<'a> {
        let run = self.caller.run.clone();
        self.caller.note_answer();
        self.accounting.count_tokens(&completion);
        if run.parameters.keep_replies {
            self.accounting.keep_reply(hash, &completion);
        }
        self.accounting.left_out = self.caller.contacts.worker.llm.omitted_params(dialect);
        self.accounting.left_out.extend(completion.ignored.map(ModelParameter::name));
        let reasoning_room = self.caller.contacts.worker.llm.reasoning_room(&run.parameters);
        if completion.is_truncated() && !runs_on(&pending, &completion) && room.enlarge(reasoning_room) {
            return ask_with_more_room(pending, &completion, run.max_attempts);
        }
        let recipe = call.recipe(&asked(&pending), dialect, room.tokens);
        let settlement = sort_answers(pending, hash, completion, run.max_attempts);
        if let Some(answer) = settlement.answers.first() {
            self.accounting.keep_recipe(hash, &recipe, call.usual_recipe(&run, answer.question_id).as_ref());
        }
        settlement
    }

    /// Whether nothing is asked after this call. In a run with a design, the failures that the walk finds then are added to
    /// the settlement.
    fn is_finished(&mut self, settlement: &mut CallSettlement<'_>, call: Call<'_>) -> bool {
        let is_settled = settlement.again.is_empty();
        if let Call::Chunk { is_last } = call {
            return is_last && is_settled;
        }
        let run = self.caller.run.clone();
        let (Some(walk), Some(plan)) = (&mut self.walk, &run.plan) else { return is_settled };
        walk.note(settlement);
        if !is_settled {
            return false;
        }
        settlement.failures.extend(walk.advance(plan, &run.parameters));
        walk.is_over()
    }

    /// Reports to the budget actor without waiting until the report is booked. `finished`: the interview leaves the queue.
    async fn report(
        &mut self,
        answers: Vec<NewAnswer>,
        failures: Vec<NewFailure>,
        finished: bool,
    ) -> Result<(), Interrupted> {
        let ModelCaller { run, persona_id, contacts, .. } = &self.caller;
        let Accounting { usage, left_out, prompts, replies } = std::mem::take(&mut self.accounting);
        let not_shown = self.walk.as_mut().map(|walk| walk.take_not_shown()).unwrap_or_default();
        let call_change = match std::mem::take(&mut self.batch_report.call_change) {
            CallChange::Keep if finished && run.parameters.batch => CallChange::Replace(None),
            change => change,
        };
        let report = InterviewReport {
            persona_id: *persona_id,
            lease: self.lease,
            answers,
            failures,
            not_shown,
            usage,
            left_out,
            prompts,
            replies,
            finished,
            call_change,
        };
        self.reports.send(&contacts.worker.budget, run.id, report).await
    }
}
