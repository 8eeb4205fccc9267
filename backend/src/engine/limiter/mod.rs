//! The one gate to the model server, shared by all runs of this worker.
//!
//! A call needs a permit. Permits are granted fairly over runs ([`fair`]), within our share of the calls and tokens a
//! minute ([`quota`]), of the calls at once ([`concurrency`]), of what the server showed it can take ([`pace`]) and only
//! while it is up ([`circuit`]). A permit that is dropped unused gives its place back.

mod circuit;
mod concurrency;
mod fair;
mod pace;
mod permit;
mod quota;

use std::collections::HashMap;
use std::time::Duration;

use actix::dev::{MessageResponse, OneshotSender};
use actix::prelude::*;
use governor::clock::DefaultClock;
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::circuit::{Circuit, Passage};
use self::concurrency::Concurrency;
use self::fair::FairQueue;
use self::pace::Pace;
pub use self::permit::{Acquire, CallEnd, Permit};
use self::permit::{Confirm, Finish, Grant};
use self::quota::Quota;

/// The allowance over all workers; `None` is no limit.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub rpm: Option<u32>,
    pub tpm: Option<u32>,
    pub max_concurrency: u32,
}

/// Our part of the allowance, 0.0 to 1.0.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SetShare(pub f64);

/// Another worker was refused: nobody calls before this.
#[derive(Message)]
#[rtype(result = "()")]
pub struct BlockUntil(pub Instant);

/// We were refused, or found the server down: all workers should know until when, and why.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Blocked {
    pub until: Instant,
    pub reason: &'static str,
}

/// A run is over or paused: what is kept for it here is forgotten.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Forget(pub i64);

/// Where the limiter stands.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub in_flight: HashMap<i64, u32>,
    pub concurrency: usize,
    pub blocked_for: Option<Duration>,
}

#[derive(Message)]
#[rtype(result = "State")]
pub struct Inspect;

impl<A: Actor, M: Message<Result = State>> MessageResponse<A, M> for State {
    fn handle(self, _: &mut A::Context, reply: Option<OneshotSender<State>>) {
        if let Some(reply) = reply {
            let _ = reply.send(self);
        }
    }
}

/// Our own reminder, after the messages that came with a call's end: the interview that made it most often asks for the
/// next one in the same breath, and goes before one that has not begun.
#[derive(Message)]
#[rtype(result = "()")]
struct Pump;

struct Waiting {
    estimated_tokens: u32,
    reply: oneshot::Sender<Permit>,
}

pub struct RateLimiter {
    limits: Limits,
    share: f64,
    rpm: Option<Quota>,
    tpm: Option<Quota>,
    concurrency: Concurrency,
    pace: Pace,
    circuit: Circuit,
    queue: FairQueue<Waiting>,
    in_flight: HashMap<i64, u32>,
    calls: u64,
    blocked_until: Option<Instant>,
    wake: Option<(Instant, SpawnHandle)>,
    pumping: bool,
    tell: Recipient<Blocked>,
}

impl RateLimiter {
    /// Starts with no share: the fleet gives it one.
    pub fn new(limits: Limits, tell: Recipient<Blocked>) -> Self {
        Self {
            limits,
            share: 0.0,
            rpm: None,
            tpm: None,
            concurrency: Concurrency::new(f64::from(limits.max_concurrency)),
            pace: Pace::default(),
            circuit: Circuit::default(),
            queue: FairQueue::new(limits.max_concurrency as usize),
            in_flight: HashMap::new(),
            calls: 0,
            blocked_until: None,
            wake: None,
            pumping: false,
            tell,
        }
    }

    /// Grants what may be granted now and sets the alarm for the rest.
    fn pump(&mut self, ctx: &mut Context<Self>) {
        loop {
            let now = Instant::now();
            let Some((run, head)) = self.queue.peek(&self.in_flight) else { return };
            if head.reply.is_closed() {
                self.queue.take(run, &self.in_flight, 0.0);
                continue;
            }
            let tokens = head.estimated_tokens;
            match self.may_go(tokens, now) {
                Err(None) => return,
                Err(Some(at)) => return self.wake_at(at, now, ctx),
                Ok(probe) => self.grant(run, tokens, probe, now, ctx),
            }
        }
    }

    /// Whether the next call may go; `Err`: when to look again, or not before something changes.
    fn may_go(&mut self, tokens: u32, now: Instant) -> Result<bool, Option<Instant>> {
        if self.share <= 0.0 || self.in_flight.values().sum::<u32>() as usize >= self.concurrency.limit() {
            return Err(None);
        }
        if let Some(until) = self.blocked_until.filter(|until| *until > now) {
            return Err(Some(until));
        }
        let probe = match self.circuit.passage(now) {
            Passage::Free => false,
            Passage::Probe => true,
            Passage::Wait(at) => return Err(at),
        };
        if let Some(at) = self.pace.wait(now) {
            return Err(Some(at));
        }
        for (quota, cells) in [(&mut self.rpm, 1), (&mut self.tpm, tokens)] {
            if let Some(quota) = quota {
                quota.ready(cells).map_err(|wait| Some(now + wait.max(Duration::from_millis(1))))?;
            }
        }
        Ok(probe)
    }

    fn grant(&mut self, run: i64, tokens: u32, probe: bool, now: Instant, ctx: &mut Context<Self>) {
        if let Some(rpm) = &mut self.rpm {
            rpm.take(1);
        }
        if let Some(tpm) = &mut self.tpm {
            tpm.take(tokens);
        }
        if probe {
            self.circuit.probe_sent();
        }
        self.pace.granted(now);
        self.calls += 1;
        let Some(waiting) = self.queue.take(run, &self.in_flight, self.cost(tokens)) else { return };
        let grant = Grant { run, call: self.calls, estimated_tokens: tokens, probe };
        *self.in_flight.entry(run).or_default() += 1;
        // Withdrawn meanwhile: the permit comes back here and is dropped, which reports it unused.
        let _ = waiting.reply.send(Permit::new(ctx.address(), grant));
    }

    /// What a grant takes of the scarcest limit, in minutes of it.
    fn cost(&self, tokens: u32) -> f64 {
        let part = |quota: &Option<Quota>, cells: f64| quota.as_ref().map(|quota| cells / quota.per_minute());
        part(&self.rpm, 1.0).into_iter().chain(part(&self.tpm, f64::from(tokens))).reduce(f64::max).unwrap_or(1.0)
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
            limiter.pump(ctx);
        });
        self.wake = Some((at, handle));
    }

    fn block(&mut self, until: Instant) {
        self.blocked_until = self.blocked_until.max(Some(until));
    }

    fn note(&mut self, grant: Grant, end: CallEnd) -> bool {
        let now = Instant::now();
        match end {
            CallEnd::Answered { latency, tokens } => {
                self.correct(grant, tokens);
                self.pace.accepted(grant.call);
                if let Some(latency) = latency {
                    self.concurrency.succeeded(latency, now);
                }
                self.circuit.note(false, now);
            }
            CallEnd::RateLimited { until } => {
                self.correct(grant, 0);
                let at_random = self.pace.refused(grant.call, now, until);
                self.concurrency.refused(now, at_random);
                self.circuit.note(false, now);
                if self.blocked_until.is_none_or(|blocked| blocked < until) {
                    self.block(until);
                    self.tell.do_send(Blocked { until, reason: "rate limit" });
                }
            }
            CallEnd::Down => {
                let was_open = self.circuit.open_until();
                let open = self.circuit.note(true, now);
                if let Some(until) = self.circuit.open_until().filter(|until| was_open != Some(*until)) {
                    tracing::warn!(seconds = (until - now).as_secs(), "the model server is down: waiting");
                    self.tell.do_send(Blocked { until, reason: "model server down" });
                }
                return open;
            }
            CallEnd::Unused => {
                self.correct(grant, 0);
                self.pace.unused(now);
                if grant.probe {
                    self.circuit.given_up();
                }
            }
        }
        false
    }

    fn correct(&mut self, grant: Grant, tokens: u32) {
        if let Some(tpm) = &mut self.tpm {
            tpm.correct(grant.estimated_tokens, tokens);
        }
    }

    fn set_share(&mut self, share: f64) {
        let fresh = self.rpm.is_none() && self.tpm.is_none();
        let part = |limit: Option<u32>| limit.map(|limit| f64::from(limit) * share);
        let at_rate = |quota: Option<Quota>, per_minute: Option<f64>| match (quota, per_minute) {
            (Some(quota), Some(rate)) => Some(quota.at_rate(rate)),
            (None, Some(rate)) => Some(Quota::new(rate, fresh && share >= 1.0, DefaultClock::default())),
            (_, None) => None,
        };
        self.share = share;
        if share > 0.0 {
            self.rpm = at_rate(self.rpm.take(), part(self.limits.rpm));
            self.tpm = at_rate(self.tpm.take(), part(self.limits.tpm));
        }
        self.concurrency.set_maximum(f64::from(self.limits.max_concurrency) * share);
    }
}

impl Actor for RateLimiter {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        // Every interview of this worker may ask at once.
        ctx.set_mailbox_capacity(4096);
    }
}

impl Handler<Acquire> for RateLimiter {
    type Result = ();

    fn handle(&mut self, wish: Acquire, ctx: &mut Self::Context) {
        let Acquire { run, begun, estimated_tokens, reply } = wish;
        self.queue.push(run, begun, Waiting { estimated_tokens, reply });
        self.pump(ctx);
    }
}

impl Handler<Finish> for RateLimiter {
    type Result = bool;

    fn handle(&mut self, Finish { grant, end }: Finish, ctx: &mut Self::Context) -> bool {
        if let Some(count) = self.in_flight.get_mut(&grant.run) {
            *count -= 1;
            if *count == 0 {
                self.in_flight.remove(&grant.run);
            }
        }
        let open = self.note(grant, end);
        if !std::mem::replace(&mut self.pumping, true) {
            ctx.notify(Pump);
        }
        open
    }
}

impl Handler<Pump> for RateLimiter {
    type Result = ();

    fn handle(&mut self, _: Pump, ctx: &mut Self::Context) {
        self.pumping = false;
        self.pump(ctx);
    }
}

impl Handler<Confirm> for RateLimiter {
    type Result = bool;

    fn handle(&mut self, Confirm { probe }: Confirm, _: &mut Self::Context) -> bool {
        let now = Instant::now();
        self.blocked_until.is_none_or(|until| until <= now) && (probe || self.circuit.passage(now) == Passage::Free)
    }
}

impl Handler<SetShare> for RateLimiter {
    type Result = ();

    fn handle(&mut self, SetShare(share): SetShare, ctx: &mut Self::Context) {
        if share != self.share {
            self.set_share(share);
            self.pump(ctx);
        }
    }
}

impl Handler<BlockUntil> for RateLimiter {
    type Result = ();

    fn handle(&mut self, BlockUntil(until): BlockUntil, _: &mut Self::Context) {
        self.block(until);
    }
}

impl Handler<Forget> for RateLimiter {
    type Result = ();

    fn handle(&mut self, Forget(run): Forget, _: &mut Self::Context) {
        self.queue.forget(run);
    }
}

impl Handler<Inspect> for RateLimiter {
    type Result = State;

    fn handle(&mut self, _: Inspect, _: &mut Self::Context) -> State {
        let now = Instant::now();
        let until = self.blocked_until.max(self.circuit.open_until());
        State {
            in_flight: self.in_flight.clone(),
            concurrency: self.concurrency.limit(),
            blocked_for: until.map(|until| until.saturating_duration_since(now)).filter(|wait| !wait.is_zero()),
        }
    }
}
