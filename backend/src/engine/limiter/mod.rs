//! The rate limiter: the one gate to a model server for all runs of this worker that ask it.
//!
//! A call needs a permit. Permits are granted fairly over runs ([`fair`]), within this worker's share of the calls and
//! tokens per minute ([`quotas`]) and of the calls at once ([`adaptive_limit`]), and only while the server is
//! up ([`circuit`]). A permit that is dropped unused gives its place back.

mod adaptive_limit;
pub(super) mod circuit;
mod fair;
mod limits;
mod permit;
mod quota;
mod quotas;

use std::collections::HashMap;
use std::time::Duration;

use actix::prelude::*;
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::adaptive_limit::AdaptiveLimit;
pub use self::circuit::Cost;
use self::circuit::{Circuit, CircuitState, Failure};
use self::fair::FairQueue;
pub use self::limits::{Limits, shared_limits};
pub use self::permit::{Acquire, CallEnd, Permit};
use self::permit::{Confirm, Finish, Grant};
use self::quotas::Quotas;
use super::messages::{BlockUntil, Blocked, ForgetRun, Inspect, LimiterState, SetShare};
use super::timings::Timings;
use crate::models::model_servers::Traffic;

/// Its own reminder to grant permits, which comes after the messages that came with a call's end: the interview that
/// made the call most often requests its next permit at once, and goes before one that has not started.
#[derive(Message)]
#[rtype(result = "()")]
struct GrantPermits;

struct Waiting {
    estimated_tokens: u32,
    reply: oneshot::Sender<Permit>,
}

pub struct RateLimiter {
    /// Name of the model server.
    server: String,
    max_concurrency: u32,
    quotas: Quotas,
    concurrency: AdaptiveLimit,
    circuit: Circuit,
    /// Why the server is down, while the circuit is open.
    outage: Option<String>,
    queue: FairQueue<Waiting>,
    in_flight: HashMap<i64, u32>,
    blocked_until: Option<Instant>,
    wake: Option<(Instant, SpawnHandle)>,
    reminded: bool,
    traffic: Traffic,
    workers: Recipient<Blocked>,
}

impl RateLimiter {
    /// Starts without a share: the worker registry sets it.
    pub fn new(server: String, limits: Limits, timings: Timings, workers: Recipient<Blocked>) -> Self {
        Self {
            server,
            max_concurrency: limits.max_concurrency,
            quotas: Quotas::new(limits, timings.minute),
            concurrency: AdaptiveLimit::new(f64::from(limits.max_concurrency)),
            circuit: Circuit::default(),
            outage: None,
            queue: FairQueue::new(limits.max_concurrency as usize),
            in_flight: HashMap::new(),
            blocked_until: None,
            wake: None,
            reminded: false,
            traffic: Traffic::default(),
            workers,
        }
    }

    /// Grants what may be granted now and schedules the rest.
    fn grant_permits(&mut self, ctx: &mut Context<Self>) {
        loop {
            let now = Instant::now();
            let Some((run, head)) = self.queue.peek(&self.in_flight) else { return };
            if head.reply.is_closed() {
                self.queue.take(run, &self.in_flight, 0.0);
                continue;
            }
            let tokens = head.estimated_tokens;
            match self.may_call(tokens, now) {
                Err(None) => return,
                Err(Some(at)) => return self.wake_at(at, now, ctx),
                Ok(probe) => self.grant(run, tokens, probe, ctx),
            }
        }
    }

    /// Whether the next call may start, and whether as a probe. `Err`: when to try again; `None`: not before something
    /// changes.
    fn may_call(&mut self, tokens: u32, now: Instant) -> Result<bool, Option<Instant>> {
        if self.quotas.share() <= 0.0 || self.in_flight.values().sum::<u32>() as usize >= self.concurrency.limit() {
            return Err(None);
        }
        if let Some(until) = self.blocked_until.filter(|until| *until > now) {
            return Err(Some(until));
        }
        let probe = match self.circuit.state(now) {
            CircuitState::Closed => false,
            CircuitState::HalfOpen => true,
            CircuitState::Open(until) => return Err(Some(until)),
        };
        self.quotas.ready(tokens).map_err(|wait| Some(now + wait.max(Duration::from_millis(1))))?;
        Ok(probe)
    }

    fn grant(&mut self, run: i64, tokens: u32, probe: bool, ctx: &mut Context<Self>) {
        self.quotas.take(tokens);
        if probe {
            self.circuit.probe_started(Instant::now());
            self.report_outage();
        }
        let Some(waiting) = self.queue.take(run, &self.in_flight, self.quotas.cost(tokens)) else { return };
        let grant = Grant { run, estimated_tokens: tokens, probe, outages: self.circuit.outages() };
        *self.in_flight.entry(run).or_default() += 1;
        // If the request was withdrawn meanwhile, the permit is dropped here and reports itself as unused.
        let (limiter, confirm) = (ctx.address().recipient(), ctx.address().recipient());
        let _ = waiting.reply.send(Permit::new(limiter, confirm, grant));
    }

    fn wake_at(&mut self, at: Instant, now: Instant, ctx: &mut Context<Self>) {
        if let Some((set, handle)) = self.wake.take() {
            if set <= at && set > now {
                self.wake = Some((set, handle));
                return;
            }
            ctx.cancel_future(handle);
        }
        let handle = ctx.run_later(at.saturating_duration_since(now), |limiter, ctx| {
            limiter.wake = None;
            limiter.grant_permits(ctx);
        });
        self.wake = Some((at, handle));
    }

    fn block(&mut self, until: Instant) {
        self.blocked_until = self.blocked_until.max(Some(until));
    }

    /// Returns what the call costs if it failed.
    fn record(&mut self, grant: Grant, end: CallEnd) -> Cost {
        let now = Instant::now();
        match end {
            CallEnd::Completed { latency, tokens, headers } => {
                self.quotas.correct(grant.estimated_tokens, tokens);
                self.quotas.read_headers(&headers);
                self.traffic.calls += 1;
                self.traffic.tokens += u64::from(tokens);
                self.concurrency.record_success(latency, now);
                self.record_answer();
            }
            CallEnd::Answered => {
                self.quotas.correct(grant.estimated_tokens, 0);
                self.record_answer();
            }
            CallEnd::RateLimited { until } => {
                self.quotas.correct(grant.estimated_tokens, 0);
                self.concurrency.record_refusal(now);
                self.record_answer();
                if self.blocked_until.is_none_or(|blocked| blocked < until) {
                    self.block(until);
                    self.report(Some(until), "rate limit".into());
                }
            }
            CallEnd::Down { unreachable, reason } => {
                let was_open = self.circuit.open_until().is_some();
                let others = self.in_flight.values().sum::<u32>();
                let failure = Failure { unreachable, probe: grant.probe, under_way: others + 1 };
                let cost = self.circuit.record_failure(failure, now);
                let open = self.circuit.open_until().is_some();
                if open {
                    self.outage = Some(reason);
                }
                if open && !was_open {
                    tracing::warn!(
                        server = self.server,
                        reason = self.outage,
                        "the model server is down: calls wait until a probe is answered"
                    );
                    self.report_outage();
                }
                return cost;
            }
            CallEnd::Unused => {
                self.quotas.correct(grant.estimated_tokens, 0);
                if grant.probe {
                    self.circuit.probe_dropped(now);
                }
            }
        }
        Cost::Attempt
    }

    /// The server answered: it is up, whatever it said.
    fn record_answer(&mut self) {
        self.circuit.record_answer();
        if self.outage.take().is_some() {
            tracing::info!(server = self.server, "the model server is back");
            self.blocked_until = None;
            self.report(None, String::new());
        }
    }

    /// Tells the other workers and the pages until when calls wait for the server, and why.
    fn report_outage(&self) {
        if let (Some(until), Some(reason)) = (self.circuit.open_until(), &self.outage) {
            self.report(Some(until), format!("the model server is down: {reason}"));
        }
    }

    fn report(&self, until: Option<Instant>, reason: String) {
        self.workers.do_send(Blocked { server: self.server.clone(), until, reason });
    }
}

impl Actor for RateLimiter {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        // Every interview of this worker may request a permit at once.
        ctx.set_mailbox_capacity(4096);
    }
}

impl Handler<Acquire> for RateLimiter {
    type Result = ();

    fn handle(&mut self, request: Acquire, ctx: &mut Self::Context) {
        let Acquire { run, started, estimated_tokens, reply } = request;
        self.queue.push(run, started, Waiting { estimated_tokens, reply });
        self.grant_permits(ctx);
    }
}

impl Handler<Finish> for RateLimiter {
    type Result = MessageResult<Finish>;

    fn handle(&mut self, Finish { grant, end }: Finish, ctx: &mut Self::Context) -> Self::Result {
        if let Some(count) = self.in_flight.get_mut(&grant.run) {
            *count -= 1;
            if *count == 0 {
                self.in_flight.remove(&grant.run);
            }
        }
        let cost = self.record(grant, end);
        if !std::mem::replace(&mut self.reminded, true) {
            ctx.notify(GrantPermits);
        }
        MessageResult(cost)
    }
}

impl Handler<GrantPermits> for RateLimiter {
    type Result = ();

    fn handle(&mut self, _: GrantPermits, ctx: &mut Self::Context) {
        self.reminded = false;
        self.grant_permits(ctx);
    }
}

impl Handler<Confirm> for RateLimiter {
    type Result = bool;

    fn handle(&mut self, Confirm: Confirm, _: &mut Self::Context) -> bool {
        let now = Instant::now();
        let blocked = self.blocked_until.is_some_and(|until| until > now);
        !blocked && self.circuit.state(now) == CircuitState::Closed
    }
}

impl Handler<SetShare> for RateLimiter {
    type Result = ();

    fn handle(&mut self, SetShare(share): SetShare, ctx: &mut Self::Context) {
        if share != self.quotas.share() {
            self.quotas.set_share(share);
            self.concurrency.set_maximum(f64::from(self.max_concurrency) * share);
            self.grant_permits(ctx);
        }
    }
}

impl Handler<BlockUntil> for RateLimiter {
    type Result = ();

    fn handle(&mut self, BlockUntil(until): BlockUntil, _: &mut Self::Context) {
        self.block(until);
    }
}

impl Handler<ForgetRun> for RateLimiter {
    type Result = ();

    fn handle(&mut self, ForgetRun(run): ForgetRun, _: &mut Self::Context) {
        self.queue.forget(run);
    }
}

impl Handler<Inspect> for RateLimiter {
    type Result = LimiterState;

    fn handle(&mut self, _: Inspect, _: &mut Self::Context) -> LimiterState {
        let now = Instant::now();
        let until = self.blocked_until.max(self.circuit.open_until());
        LimiterState {
            in_flight: self.in_flight.clone(),
            concurrency: self.concurrency.limit(),
            waiting: self.queue.len(),
            traffic: self.traffic,
            reported: self.quotas.reported(),
            blocked_for: until.map(|until| until.saturating_duration_since(now)).filter(|wait| !wait.is_zero()),
        }
    }
}
