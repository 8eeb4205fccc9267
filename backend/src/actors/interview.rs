//! How an interview goes: chunk by chunk, call by call, until every open question has an answer or a failure.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix::prelude::*;
use rand::RngExt;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::budget::{Settle, Unsettled};
use super::limiter::{Acquire, CallEnd, Permit};
use super::supervisor::{LoadText, Order, Trouble};
use crate::llm::prompt::{self, Asked, Persona, Prompt};
use crate::llm::{Answer, CallError, Completion, Llm, answer};
use crate::metrics;
use crate::models::questions::Question;
use crate::models::settlement::{Booked, NewAnswer, NewFailure, Report, Usage};
use crate::models::simulations::Parameters;
use crate::queue::Lease;

/// More deliveries than this without a good end: the interview itself is what breaks.
const MOST_DELIVERIES: i32 = 5;
/// How often an answer that failed its checks is asked for again.
const MOST_COMPLAINTS: u16 = 2;
const FIRST_BACK_OFF: Duration = Duration::from_secs(1);
/// On top of what a server asks for: its clock is not ours, and dates count in seconds.
const SLACK: Duration = Duration::from_millis(50);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(60);

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

/// Whom an interview talks to.
#[derive(Clone)]
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
    pub contacts: Contacts,
    pub orders: watch::Receiver<Order>,
    pub lease_lost: Rc<Cell<bool>>,
}

impl Interview {
    pub async fn hold(self) -> Result<(), Halt> {
        let mut session = Session { persona: None, usage: Usage::default(), out: None, interview: self };
        let ending = session.conduct().await;
        if matches!(ending, Err(Halt::HandedBack)) {
            session.submit(Vec::new(), Vec::new(), false).await?;
            session.booked().await?;
        }
        ending
    }
}

/// A question on its way to an answer.
struct Pending<'a> {
    asked: Asked<'a>,
    attempts: u16,
    complaints: u16,
}

struct Session {
    interview: Interview,
    persona: Option<Persona>,
    /// Calls made since the last report.
    usage: Usage,
    /// The report that is being booked.
    out: Option<JoinHandle<Result<Result<Booked, Unsettled>, MailboxError>>>,
}

/// What a call came to.
#[derive(Default)]
struct Outcome<'a> {
    answers: Vec<NewAnswer>,
    failures: Vec<NewFailure>,
    /// To be asked again.
    again: Vec<Pending<'a>>,
}

impl Session {
    async fn conduct(&mut self) -> Result<(), Halt> {
        let run = self.interview.run.clone();
        if self.interview.deliveries > MOST_DELIVERIES {
            return self.give_up().await;
        }
        let open = std::mem::take(&mut self.interview.open);
        let chunks = prompt::calls(&run.questions, &open, run.parameters.questions_per_call);
        let last = chunks.len();
        for (number, chunk) in chunks.iter().enumerate() {
            let ask = |question| Asked::new(question, &run.parameters, self.interview.persona_id);
            let pending = chunk.iter().map(|question| Pending { asked: ask(question), attempts: 0, complaints: 0 });
            self.ask(pending.collect(), number + 1 == last).await?;
        }
        if last == 0 {
            self.submit(Vec::new(), Vec::new(), true).await?;
        }
        self.booked().await
    }

    /// Delivered too often: whatever is open fails.
    async fn give_up(&mut self) -> Result<(), Halt> {
        let message = format!("the interview broke off {} times", self.interview.deliveries - 1);
        let failure = |question_id: &i64| NewFailure {
            question_id: *question_id,
            code: "poison",
            message: message.clone(),
            detail: None,
            attempts: 0,
        };
        let failures = self.interview.open.iter().map(failure).collect();
        self.submit(Vec::new(), failures, true).await?;
        self.booked().await
    }

    /// Asks until none of these questions is pending, reporting after every call that settled some.
    async fn ask(&mut self, mut pending: Vec<Pending<'_>>, last: bool) -> Result<(), Halt> {
        let run = self.interview.run.clone();
        let mut max_tokens = prompt::max_tokens(&asked(&pending));
        let mut enlarged = false;
        while !pending.is_empty() {
            let begun = self.persona.is_some();
            let permit = self.permit(&pending).await?;
            let persona = self.persona().await?;
            // Reading the text takes a while, in which the server may have asked to be left alone.
            if !begun && !permit.still_holds().await {
                continue;
            }
            let asked = asked(&pending);
            let prompt =
                Prompt::build(&persona, &run.parameters, &asked, self.interview.contacts.llm.format(), max_tokens);
            let hash = prompt.hash();
            let reply = self.call(prompt).await?;
            self.usage.calls += 1;
            let outcome = match reply {
                Ok(completion) => {
                    run.answered.store(true, Ordering::Relaxed);
                    self.count(&completion);
                    let usage = &completion.usage;
                    let end = CallEnd::Answered {
                        latency: Some(completion.latency),
                        tokens: usage.prompt + usage.completion,
                    };
                    permit.finish(end).await;
                    if completion.is_truncated() && !enlarged {
                        enlarged = true;
                        max_tokens = max_tokens.saturating_mul(4);
                        one_more_attempt(pending, run.max_attempts, "truncated", "the reply was cut off", None)
                    } else {
                        judge(pending, hash, completion, run.max_attempts)
                    }
                }
                Err(error) => self.endure(error, permit, pending).await?,
            };
            pending = outcome.again;
            if !outcome.answers.is_empty() || !outcome.failures.is_empty() {
                self.submit(outcome.answers, outcome.failures, last && pending.is_empty()).await?;
            }
        }
        Ok(())
    }

    /// The right to call, once it is this run's turn.
    async fn permit(&mut self, pending: &[Pending<'_>]) -> Result<Permit, Halt> {
        self.go_on()?;
        let questions: usize = pending.iter().map(|pending| pending.asked.question.text.len() + 200).sum();
        let (reply, granted) = oneshot::channel();
        let wish = Acquire {
            run: self.interview.run.id,
            begun: self.persona.is_some(),
            estimated_tokens: prompt::tokens_of(self.interview.text_length + questions),
            reply,
        };
        self.interview.contacts.limiter.do_send(wish);
        tokio::select! {
            permit = granted => {
                // The order may have come together with the permit.
                self.go_on()?;
                permit.map_err(|_| Halt::HandedBack)
            }
            halt = halted(&mut self.interview.orders, Order::Pause) => Err(halt),
        }
    }

    /// The twin's part of the prompts: its text is read when the first call may go, and dropped after the last.
    async fn persona(&mut self) -> Result<Persona, Halt> {
        if let Some(persona) = &self.persona {
            return Ok(persona.clone());
        }
        let request = LoadText(self.interview.persona_id);
        let text = tokio::select! {
            text = self.interview.contacts.texts.send(request) => text.map_err(crashed)?.map_err(Halt::Crashed)?,
            halt = halted(&mut self.interview.orders, Order::Pause) => return Err(halt),
        };
        let persona = Persona::new(&text);
        self.persona = Some(persona.clone());
        Ok(persona)
    }

    /// Makes the call. A pause lets it finish; a stop drops it.
    async fn call(&mut self, prompt: Prompt) -> Result<Result<Completion, CallError>, Halt> {
        self.go_on()?;
        let began = Instant::now();
        tokio::select! {
            reply = self.interview.contacts.llm.ask(prompt) => {
                metrics::called(outcome(&reply), began.elapsed());
                Ok(reply)
            }
            halt = halted(&mut self.interview.orders, Order::Stop) => Err(halt),
        }
    }

    /// A call that gave no completion: what the outcome table says, with the permit given back before any wait.
    async fn endure<'a>(
        &mut self,
        error: CallError,
        permit: Permit,
        pending: Vec<Pending<'a>>,
    ) -> Result<Outcome<'a>, Halt> {
        let most = self.interview.run.max_attempts;
        let answered = CallEnd::Answered { latency: None, tokens: 0 };
        let message = error.to_string();
        let code = error.code();
        match error {
            CallError::RateLimited { retry_after, .. } => {
                let wait =
                    retry_after.map_or_else(|| jitter(FIRST_BACK_OFF), |wait| wait.max(jitter(FIRST_BACK_OFF)) + SLACK);
                permit.finish(CallEnd::RateLimited { until: Instant::now() + wait }).await;
                Ok(Outcome { again: pending, ..Outcome::default() })
            }
            CallError::FormatUnsupported => {
                permit.finish(answered).await;
                Ok(Outcome { again: pending, ..Outcome::default() })
            }
            CallError::Denied { .. } => {
                permit.finish(answered).await;
                let _ = self.interview.contacts.trouble.send(Trouble::Denied(message)).await;
                Err(Halt::HandedBack)
            }
            CallError::Rejected { .. } => {
                permit.finish(answered).await;
                let paused = self.interview.contacts.trouble.send(Trouble::Rejected(message.clone())).await;
                if paused.unwrap_or(false) {
                    return Err(Halt::HandedBack);
                }
                Ok(one_more_attempt(pending, 0, code, &message, None))
            }
            CallError::Transient { retry_after, .. } => {
                if permit.finish(CallEnd::Down).await {
                    return Ok(Outcome { again: pending, ..Outcome::default() });
                }
                let attempts = pending.iter().map(|pending| pending.attempts).max().unwrap_or(0);
                let outcome = one_more_attempt(pending, most, code, &message, None);
                if !outcome.again.is_empty() {
                    self.wait(back_off(attempts).max(retry_after.unwrap_or_default())).await?;
                }
                Ok(outcome)
            }
            CallError::Garbled { .. } => {
                permit.finish(answered).await;
                let attempts = pending.iter().map(|pending| pending.attempts).max().unwrap_or(0);
                let outcome = one_more_attempt(pending, most, code, &message, None);
                if !outcome.again.is_empty() {
                    self.wait(back_off(attempts)).await?;
                }
                Ok(outcome)
            }
        }
    }

    async fn wait(&mut self, time: Duration) -> Result<(), Halt> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            halt = halted(&mut self.interview.orders, Order::Pause) => Err(halt),
        }
    }

    /// Whether the next step may be taken.
    fn go_on(&self) -> Result<(), Halt> {
        if self.interview.lease_lost.get() {
            return Err(Halt::LeaseLost);
        }
        match *self.interview.orders.borrow() {
            Order::Go => Ok(()),
            Order::Pause => Err(Halt::HandedBack),
            Order::Stop => Err(Halt::RunOver),
        }
    }

    fn count(&mut self, completion: &Completion) {
        self.usage += Usage {
            calls: 0,
            prompt_tokens: completion.usage.prompt.into(),
            cached_tokens: completion.usage.cached.into(),
            completion_tokens: completion.usage.completion.into(),
        };
    }

    /// Reports to the budget actor and goes on meanwhile: the next report waits until this one is booked.
    async fn submit(&mut self, answers: Vec<NewAnswer>, failures: Vec<NewFailure>, finished: bool) -> Result<(), Halt> {
        self.booked().await?;
        let Interview { run, persona_id, lease, contacts, .. } = &self.interview;
        let usage = std::mem::take(&mut self.usage);
        let report = Report { persona_id: *persona_id, lease: *lease, answers, failures, usage, finished };
        self.out = Some(actix::spawn(contacts.budget.send(Settle { run: run.id, report })));
        Ok(())
    }

    /// Waits until the last report is committed.
    async fn booked(&mut self) -> Result<(), Halt> {
        let Some(out) = self.out.take() else { return Ok(()) };
        match out.await.map_err(crashed)?.map_err(crashed)? {
            Ok(Booked::Stored) => Ok(()),
            Ok(Booked::LeaseLost) => Err(Halt::LeaseLost),
            Ok(Booked::RunOver) => Err(Halt::RunOver),
            Err(unsettled) => Err(crashed(unsettled)),
        }
    }
}

/// A call's outcome in one word, for the metrics.
fn outcome(reply: &Result<Completion, CallError>) -> &'static str {
    match reply {
        Ok(completion) if completion.is_refused() => "refused",
        Ok(completion) if completion.is_truncated() => "truncated",
        Ok(_) => "answered",
        Err(error) => error.code(),
    }
}

fn crashed(reason: impl std::fmt::Display) -> Halt {
    Halt::Crashed(reason.to_string())
}

fn asked<'a>(pending: &[Pending<'a>]) -> Vec<Asked<'a>> {
    pending.iter().map(|pending| pending.asked.clone()).collect()
}

/// Resolves when the run's order is `least` or harsher.
async fn halted(orders: &mut watch::Receiver<Order>, least: Order) -> Halt {
    match orders.wait_for(|order| *order >= least).await.as_deref() {
        Ok(Order::Stop) => Halt::RunOver,
        // Paused, or the supervisor is gone.
        _ => Halt::HandedBack,
    }
}

/// Another attempt for all, or, where that was the last one, the failure of all.
fn one_more_attempt<'a>(
    pending: Vec<Pending<'a>>,
    most: u16,
    code: &'static str,
    message: &str,
    detail: Option<&str>,
) -> Outcome<'a> {
    let mut outcome = Outcome::default();
    for mut pending in pending {
        pending.attempts += 1;
        if pending.attempts >= most {
            outcome.failures.push(failure(&pending, code, message, detail));
        } else {
            outcome.again.push(pending);
        }
    }
    outcome
}

/// Takes the valid answers out of a completion; what failed its checks is asked again, a few times.
fn judge<'a>(pending: Vec<Pending<'a>>, hash: [u8; 32], completion: Completion, most: u16) -> Outcome<'a> {
    if completion.is_refused() {
        let said = completion.refusal.as_deref().or(completion.content.as_deref());
        return one_more_attempt(pending, 0, "refused", "the model refused to answer", said);
    }
    if completion.is_truncated() {
        let said = completion.content.as_deref();
        return one_more_attempt(pending, 0, "truncated", "the reply was cut off", said);
    }
    let content = completion.content.as_deref().unwrap_or_default();
    let asked = asked(&pending);
    let checked = answer::read(&asked, content);
    let mut outcome = Outcome::default();
    let shares = Shares::new(&completion, pending.len());
    for (index, (mut pending, checked)) in pending.into_iter().zip(checked).enumerate() {
        pending.attempts += 1;
        match checked {
            Ok(answer) => outcome.answers.push(new_answer(&pending, answer, &completion, hash, shares.of(index))),
            Err(complaint) => {
                pending.complaints += 1;
                if pending.complaints > MOST_COMPLAINTS || pending.attempts >= most {
                    outcome.failures.push(failure(&pending, complaint.code.name(), &complaint.message, Some(content)));
                } else {
                    pending.asked.complaint = Some(complaint.message);
                    outcome.again.push(pending);
                }
            }
        }
    }
    outcome
}

fn new_answer(
    pending: &Pending<'_>,
    answer: Answer,
    completion: &Completion,
    prompt_hash: [u8; 32],
    [prompt_tokens, cached_tokens, completion_tokens]: [i32; 3],
) -> NewAnswer {
    NewAnswer {
        question_id: pending.asked.question.id,
        answer: answer.text,
        answer_value: answer.value,
        option_order: pending.asked.order.clone(),
        attempt: pending.attempts as i16,
        model: completion.model.clone(),
        fingerprint: completion.fingerprint.clone(),
        prompt_hash,
        latency_ms: i32::try_from(completion.latency.as_millis()).unwrap_or(i32::MAX),
        prompt_tokens,
        cached_tokens,
        completion_tokens,
    }
}

/// PostgreSQL's text cannot hold a NUL, and a page of error text helps nobody.
const LONGEST_DETAIL: usize = 4_000;

fn failure(pending: &Pending<'_>, code: &'static str, message: &str, detail: Option<&str>) -> NewFailure {
    let storable = |text: &str| text.chars().filter(|c| *c != '\0').take(LONGEST_DETAIL).collect::<String>();
    NewFailure {
        question_id: pending.asked.question.id,
        code,
        message: storable(message),
        detail: detail.map(storable),
        attempts: pending.attempts as i16,
    }
}

/// A call's tokens shared over the requests that it asked, so that the shares add up to the call.
struct Shares {
    tokens: [u32; 3],
    requests: u32,
}

impl Shares {
    fn new(completion: &Completion, requests: usize) -> Self {
        let usage = &completion.usage;
        Self { tokens: [usage.prompt, usage.cached, usage.completion], requests: requests.max(1) as u32 }
    }

    fn of(&self, index: usize) -> [i32; 3] {
        self.tokens.map(|tokens| {
            let extra = u32::from((index as u32) < tokens % self.requests);
            i32::try_from(tokens / self.requests + extra).unwrap_or(i32::MAX)
        })
    }
}

fn back_off(attempts: u16) -> Duration {
    jitter((FIRST_BACK_OFF * 2_u32.saturating_pow(attempts.into())).min(LONGEST_BACK_OFF))
}

/// Full jitter: anything up to the given time, so that calls that failed together do not come back together.
fn jitter(most: Duration) -> Duration {
    most.mul_f64(rand::rng().random_range(0.0..=1.0))
}
