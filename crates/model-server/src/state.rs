//! The state of the server between calls, behind one lock that is held for short times only.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::answers::{Answers, DEMO_MODEL};
use crate::batches::Batches;
use crate::cache::{Caches, Caching};
use crate::error::ApiError;
use crate::hash::{hash, mix, unit};
use crate::http::HttpResponse;
use crate::limits::Buckets;
use crate::record::{Call, Counters, Outcome};
use crate::reply::{self, Delivery, Order, Reply};
use crate::request::{Request, Wire, first_present};
use crate::wire::{self, Endpoint};
use crate::{BatchFaults, Fault, Faults};

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
    caches: Caches,
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
            caches: Caches::default(),
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

    /// Records a request that has just arrived and decides its reply. Refuses a request that asks for no completion,
    /// without recording it.
    pub fn receive(&self, endpoint: Endpoint<'_>, body: &[u8], door: Door) -> Result<Plan, HttpResponse> {
        let now = Instant::now();
        let mut request = endpoint.parse(body).map_err(|error| wire::error(endpoint.wire, &error))?;
        if door == Door::Batch && request.stream.is_some() {
            let error = ApiError::invalid("stream: Batches do not stream.", Some("stream"));
            return Err(wire::error(endpoint.wire, &error));
        }
        if !self.memory().faults.streams {
            request.stream = None;
        }
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

    /// Whether the server takes this key.
    pub fn takes_key(&self, key: Option<&str>) -> bool {
        self.memory().faults.key.as_deref().is_none_or(|wanted| key == Some(wanted))
    }

    /// Whether errors repeat the key of the call.
    pub fn echoes_keys(&self) -> bool {
        self.memory().faults.echoes_keys
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

/// OpenAI's batches use no cache.
fn caching(faults: &Faults, wire: Wire, door: Door) -> Caching {
    if wire == Wire::OpenAi && door == Door::Batch { Caching::Off } else { faults.caching }
}

impl Memory {
    fn receive(&mut self, request: &Request<'_>, body: &[u8], door: Door, now: Instant, arrived: Duration) -> Plan {
        let Request { wire, persona, questions, .. } = *request;
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
        let fault = if faults.spares_prose && request.schema.is_none() {
            self.spared += 1;
            None
        } else {
            let scripted = faults.script.get(number - self.spared).copied();
            scripted.unwrap_or_else(|| faults.choose(persona, questions, attempt))
        };
        let (outcome, mut reply) = if let Err(wait) = admitted {
            (Outcome::RateLimited, reply::rate_limited(wire, wait))
        } else if request.dialect > faults.dialect {
            (Outcome::FormatRefused, reply::format_refused(wire, request.dialect))
        } else if let Some(name) = first_present(&faults.unknown, body) {
            (Outcome::ParameterRefused, reply::parameter_refused(wire, name))
        } else {
            let caching =
                if fault.is_none_or(Fault::reads_prompt) { caching(faults, wire, door) } else { Caching::Off };
            let order = Order {
                request,
                answers: faults.answers,
                seed: faults.draw(request, number),
                model,
                prompt_tokens,
                reasoning: request.reasoning.saturating_add(faults.usage.reasoning),
                cache: faults.usage.with(self.caches.use_for(request, caching, now), prompt_tokens),
                has_cache: faults.caching != Caching::Off || faults.usage.cache_write > 0,
                in_batch: door == Door::Batch,
                ignored: &faults.ignored,
                number,
            };
            (fault.map_or(Outcome::Answered, Outcome::Injected), order.reply(fault, faults.retry_after))
        };
        let usage = reply.usage;
        if door == Door::Call {
            self.buckets.charge(usage.completion());
        }
        if matches!(outcome, Outcome::Answered | Outcome::RateLimited) {
            self.buckets.add_headers(wire, &mut reply.response);
        }

        let jitter = self.faults.jitter.mul_f64(unit(mix(&[persona, questions, u64::from(attempt)])));
        self.open += 1;
        self.open_peak = self.open_peak.max(self.open);
        let call = self.faults.keep_calls.then_some(self.calls.len());
        if call.is_some() {
            self.calls.push(Call {
                wire,
                arrived,
                ended: None,
                persona,
                questions,
                body: hash(body),
                attempt,
                outcome,
                prompt_tokens,
                completion_tokens: usage.completion(),
                cached_tokens: usage.cache.read,
                cache_written_tokens: usage.cache.written(),
                reasoning_tokens: usage.reasoning,
                retry_at: None,
            });
        }
        if self.faults.keep_bodies {
            self.bodies.push(body.into());
        }
        let interval = self.faults.piece_interval;
        if reply.delivery == Delivery::Whole && !reply.response.event_ends.is_empty() && !interval.is_zero() {
            reply.delivery = Delivery::Paced(interval);
        }
        Plan { reply, due: now + self.faults.latency + jitter, call }
    }
}
