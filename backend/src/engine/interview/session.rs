//! An interview in progress: its calls one after the other, and its reports, of which one at most is on its way.

use std::sync::atomic::Ordering;

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::outcome::{Pending, asked, judge, one_more_attempt};
use super::{Halt, Interview, crashed};
use crate::engine::budget::{Settle, Unsettled};
use crate::engine::limiter::{Acquire, CallEnd, Permit};
use crate::engine::supervisor::{LoadText, Order};
use crate::llm::prompt::{self, Asked, Persona, Prompt};
use crate::llm::{CallError, Completion};
use crate::metrics;
use crate::models::settlement::{Booked, NewAnswer, NewFailure, Report, Usage};

/// More deliveries than this without a good end: the interview itself is what breaks.
const MOST_DELIVERIES: i32 = 5;

pub struct Session {
    pub(super) interview: Interview,
    persona: Option<Persona>,
    /// Calls made since the last report.
    usage: Usage,
    /// What the calls that were answered went out without.
    left_out: Vec<&'static str>,
    /// The report that is being booked.
    out: Option<oneshot::Receiver<Result<Booked, Unsettled>>>,
}

impl Session {
    pub fn new(interview: Interview) -> Self {
        Self { interview, persona: None, usage: Usage::default(), left_out: Vec::new(), out: None }
    }

    /// From the first open question to the last; what a halt leaves unreported is handed in before it ends.
    #[expect(clippy::manual_async_fn, reason = "an async function would hold its argument twice, thousands of times")]
    pub fn hold(mut self) -> impl Future<Output = Result<(), Halt>> {
        async move {
            let ending = self.conduct().await;
            if matches!(ending, Err(Halt::HandedBack)) {
                self.submit(Vec::new(), Vec::new(), false).await?;
                self.booked().await?;
            }
            ending
        }
    }

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
            let pending = chunk.iter().map(|question| Pending::new(ask(question)));
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
            // Reading the text takes a while, in which the server may have asked to be left alone. Nobody waits for a
            // renewal with a permit in hand.
            if !begun && !permit.still_holds().await || !self.interview.tenure.holds() {
                continue;
            }
            let asked = asked(&pending);
            let prompt =
                Prompt::build(&persona, &run.parameters, &asked, self.interview.contacts.llm.dialect(), max_tokens);
            drop(persona);
            let (hash, dialect) = (prompt.hash(), prompt.dialect());
            // Apart, so that an interview that waits for its turn does not hold a call's room.
            let reply = Box::pin(self.call(prompt)).await?;
            self.usage.calls += 1;
            let outcome = match reply {
                Ok(completion) => {
                    run.answered.store(true, Ordering::Relaxed);
                    self.count(&completion);
                    self.left_out = dialect.omitted_params();
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
                Err(error) => Box::pin(self.endure(error, permit, pending)).await?,
            };
            pending = outcome.again;
            let finished = last && pending.is_empty();
            if finished {
                // The next twin's text is read while this one's last report waits for its batch.
                self.persona = None;
            }
            if !outcome.answers.is_empty() || !outcome.failures.is_empty() {
                self.submit(outcome.answers, outcome.failures, finished).await?;
            }
        }
        Ok(())
    }

    /// The right to call, once it is this run's turn.
    async fn permit(&mut self, pending: &[Pending<'_>]) -> Result<Permit, Halt> {
        self.go_on().await?;
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
                self.obey()?;
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
        self.obey()?;
        let began = Instant::now();
        tokio::select! {
            outcome = self.interview.contacts.llm.ask(prompt) => {
                metrics::called(word(&outcome.result), began.elapsed());
                Ok(outcome.result)
            }
            halt = halted(&mut self.interview.orders, Order::Stop) => Err(halt),
        }
    }

    /// Whether the next step may be taken, as far as is known.
    fn obey(&self) -> Result<(), Halt> {
        let Interview { tenure, orders, .. } = &self.interview;
        let halt = halt(*orders.borrow()).or(tenure.is_lost().then_some(Halt::LeaseLost));
        halt.map_or(Ok(()), Err)
    }

    /// The same, once it is known whose the interview is.
    async fn go_on(&mut self) -> Result<(), Halt> {
        let Interview { tenure, orders, .. } = &mut self.interview;
        tokio::select! {
            biased;
            halt = halted(orders, Order::Pause) => return Err(halt),
            () = tenure.settled() => {}
        }
        self.obey()
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
        let (usage, left_out) = (std::mem::take(&mut self.usage), std::mem::take(&mut self.left_out));
        let report = Report { persona_id: *persona_id, lease: *lease, answers, failures, usage, left_out, finished };
        let (reply, booked) = oneshot::channel();
        contacts.budget.do_send(Settle { run: run.id, report, reply });
        self.out = Some(booked);
        Ok(())
    }

    /// Waits until the last report is committed.
    async fn booked(&mut self) -> Result<(), Halt> {
        let Some(out) = self.out.take() else { return Ok(()) };
        match out.await.map_err(|_| crashed("the budget actor stopped"))?.map_err(crashed)? {
            Booked::Stored => Ok(()),
            Booked::LeaseLost => Err(Halt::LeaseLost),
            Booked::RunOver => Err(Halt::RunOver),
        }
    }
}

/// Resolves when the run's order is `least` or harsher.
pub(super) async fn halted(orders: &mut watch::Receiver<Order>, least: Order) -> Halt {
    let order = orders.wait_for(|order| *order >= least).await;
    // Without one the supervisor is gone.
    order.ok().and_then(|order| halt(*order)).unwrap_or(Halt::HandedBack)
}

fn halt(order: Order) -> Option<Halt> {
    match order {
        Order::Go => None,
        Order::Pause => Some(Halt::HandedBack),
        Order::Stop => Some(Halt::RunOver),
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
