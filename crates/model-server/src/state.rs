//! The state of the server between calls, behind one lock that is held for short times only.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::answers::{Answers, DEMO_MODEL};
use crate::batches::Batches;
use crate::hash::{hash, mix, unit};
use crate::http::HttpResponse;
use crate::limits::Buckets;
use crate::record::{Call, Counters, Outcome};
use crate::reply::{self, Completion, Reply};
use crate::request::{Request, first_present};
use crate::{BatchFaults, Faults};

pub struct State {
    started: Instant,
    memory: Mutex<Memory>,
    /// Number of calls that have arrived.
    pub arrivals: watch::Sender<usize>,
    /// Whether all replies are held back.
    pub held: watch::Sender<bool>,
    batches: Mutex<Batches>,
}

struct Memory {
    faults: Faults,
    buckets: Buckets,
    /// Number of calls so far by persona and questions.
    attempts: HashMap<(u64, u64), u32>,
    arrived: usize,
    /// Number of calls that the script passed over.
    spared: usize,
    calls: Vec<Call>,
    bodies: Vec<Box<[u8]>>,
    /// Number of calls without a reply, now and at most.
    open: u64,
    open_peak: u64,
}

/// How a request came. The limits apply to calls alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Call,
    Batch,
}

/// The next steps of a call.
pub struct Plan {
    pub reply: Reply,
    pub due: Instant,
    /// Position of the call in the record, if it is recorded.
    call: Option<usize>,
}

impl State {
    pub fn new(faults: Faults) -> Self {
        let started = Instant::now();
        let memory = Memory {
            buckets: Buckets::full(faults.limits, started),
            faults,
            attempts: HashMap::new(),
            arrived: 0,
            spared: 0,
            calls: Vec::new(),
            bodies: Vec::new(),
            open: 0,
            open_peak: 0,
        };
        Self {
            started,
            memory: Mutex::new(memory),
            arrivals: watch::Sender::new(0),
            held: watch::Sender::new(false),
            batches: Mutex::default(),
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a call that has just arrived and decides its reply. Refuses a request that is no chat completion,
    /// without recording it.
    pub fn receive(&self, body: &[u8]) -> Result<Plan, HttpResponse> {
        self.receive_by(body, Door::Call)
    }

    /// Like [`Self::receive`], for a request that came as a call or in a batch.
    pub fn receive_by(&self, body: &[u8], door: Door) -> Result<Plan, HttpResponse> {
        let now = Instant::now();
        let request = Request::parse(body).map_err(reply::ApiError::response)?;
        let plan = self.memory().receive(&request, body, door, now, now - self.started);
        self.arrivals.send_modify(|arrivals| *arrivals += 1);
        Ok(plan)
    }

    /// Records the end of a call's reply.
    pub fn ended(&self, plan: &Plan) {
        let ended = self.started.elapsed();
        let mut memory = self.memory();
        memory.open -= 1;
        let Some(call) = plan.call else { return };
        let call = &mut memory.calls[call];
        call.ended = Some(ended);
        // The wait begins when the client reads the 429.
        call.retry_at = plan.reply.retry_after.map(|wait| ended + wait);
    }

    pub fn batches(&self) -> MutexGuard<'_, Batches> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn batch_faults(&self) -> BatchFaults {
        self.memory().faults.batches.clone()
    }

    pub fn set_faults(&self, faults: Faults) {
        let mut memory = self.memory();
        memory.buckets = Buckets::full(faults.limits, Instant::now());
        memory.faults = faults;
    }

    /// The name of the one model that is listed.
    pub fn model(&self) -> &'static str {
        model(self.memory().faults.answers)
    }

    pub fn calls(&self) -> Vec<Call> {
        self.memory().calls.clone()
    }

    pub fn bodies(&self) -> Vec<Box<[u8]>> {
        self.memory().bodies.clone()
    }

    pub fn counters(&self) -> Counters {
        let (calls, peak) = {
            let memory = self.memory();
            (memory.calls.clone(), memory.open_peak)
        };
        Counters::count(&calls, peak)
    }
}

fn model(answers: Answers) -> &'static str {
    match answers {
        Answers::Quick => "stub",
        Answers::Demo => DEMO_MODEL,
    }
}

impl Memory {
    fn receive(&mut self, request: &Request<'_>, body: &[u8], door: Door, now: Instant, arrived: Duration) -> Plan {
        let Request { persona, questions, .. } = *request;
        let prompt_tokens = (body.len() / 4) as u32;
        let faults = &self.faults;
        let attempt = 1 + self.attempts.get(&(persona, questions)).copied().unwrap_or(0);
        let admitted = if door == Door::Batch { Ok(()) } else { self.buckets.take(prompt_tokens, now) };
        // The time of a refusal by the limit is not deterministic; the faults of an attempt must be.
        if admitted.is_ok() && (faults.keep_calls || !faults.rates.is_empty()) {
            self.attempts.insert((persona, questions), attempt);
        }

        let number = self.arrived;
        self.arrived += 1;
        let model = match faults.answers {
            Answers::Quick => request.model.as_deref().unwrap_or(model(Answers::Quick)),
            Answers::Demo => DEMO_MODEL,
        };
        let completion = Completion {
            request,
            answers: faults.answers,
            seed: faults.seed,
            model,
            prompt_tokens,
            usage: faults.usage,
            number,
        };
        let fault = if faults.spares_prose && request.schema.is_none() {
            self.spared += 1;
            None
        } else {
            let scripted = faults.script.get(number - self.spared).copied();
            scripted.unwrap_or_else(|| faults.choose(persona, questions, attempt))
        };
        let (outcome, mut reply) = if let Err(wait) = admitted {
            (Outcome::RateLimited, reply::rate_limited(wait))
        } else if request.dialect > faults.dialect {
            (Outcome::FormatRefused, reply::format_refused(request.dialect))
        } else if let Some(name) = first_present(&faults.unknown, body) {
            (Outcome::ParameterRefused, reply::parameter_refused(name))
        } else {
            (fault.map_or(Outcome::Answered, Outcome::Injected), completion.reply(fault, faults.retry_after))
        };
        if door == Door::Call {
            self.buckets.charge(reply.completion_tokens);
        }
        if matches!(outcome, Outcome::Answered | Outcome::RateLimited) {
            self.buckets.add_headers(&mut reply.response);
        }

        let jitter = self.faults.jitter.mul_f64(unit(mix(&[persona, questions, u64::from(attempt)])));
        self.open += 1;
        self.open_peak = self.open_peak.max(self.open);
        let call = self.faults.keep_calls.then_some(self.calls.len());
        if call.is_some() {
            self.calls.push(Call {
                arrived,
                ended: None,
                persona,
                questions,
                body: hash(body),
                attempt,
                outcome,
                prompt_tokens,
                completion_tokens: reply.completion_tokens,
                retry_at: None,
            });
        }
        if self.faults.keep_bodies {
            self.bodies.push(body.into());
        }
        Plan { reply, due: now + self.faults.latency + jitter, call }
    }
}
