//! What the stub remembers from call to call, behind one lock that nobody holds for long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;

use super::answer::{self, Answer, Speaker};
use super::hash::{hash, mix, unit};
use super::prompt::{Prompt, Wanted};
use super::record::{Call, Counters, Outcome};
use super::{Faults, Limit};

/// Schemas kept ready. A run has few, unless options are shuffled; then they come and go.
const SCHEMAS_AT_MOST: usize = 1 << 12;

pub(super) struct State {
    started: Instant,
    memory: Mutex<Memory>,
    /// How many calls have arrived.
    pub(super) arrivals: watch::Sender<usize>,
    /// While true, good and bad answers alike are kept back.
    pub(super) held: watch::Sender<bool>,
}

struct Memory {
    faults: Faults,
    bucket: Bucket,
    wanted: HashMap<u64, Arc<Wanted>>,
    /// Calls so far by persona and questions.
    attempts: HashMap<(u64, u64), u32>,
    calls: Vec<Call>,
    bodies: Vec<Box<[u8]>>,
    owed: u64,
    owed_peak: u64,
}

/// What happens to a call next.
pub(super) struct Plan {
    pub(super) answer: Answer,
    pub(super) due: Instant,
    call: usize,
}

impl State {
    pub(super) fn new(faults: Faults) -> Self {
        let started = Instant::now();
        let memory = Memory {
            bucket: Bucket::full(faults.limit, started),
            faults,
            wanted: HashMap::new(),
            attempts: HashMap::new(),
            calls: Vec::new(),
            bodies: Vec::new(),
            owed: 0,
            owed_peak: 0,
        };
        Self { started, memory: Mutex::new(memory), arrivals: watch::Sender::new(0), held: watch::Sender::new(false) }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Books a call that has just arrived and decides its answer.
    pub(super) fn receive(&self, body: &[u8]) -> Plan {
        let now = Instant::now();
        let prompt = Prompt::scan(body);
        let plan = self.memory().receive(&prompt, body, now, now - self.started);
        self.arrivals.send_modify(|arrivals| *arrivals += 1);
        plan
    }

    /// Books the end of a call's answer.
    pub(super) fn ended(&self, plan: &Plan) {
        let ended = self.started.elapsed();
        let mut memory = self.memory();
        memory.owed -= 1;
        let call = &mut memory.calls[plan.call];
        call.ended = Some(ended);
        // Whoever reads a 429 waits from when it reads it.
        call.retry_at = plan.answer.wait.map(|wait| ended + wait);
    }

    pub(super) fn set_faults(&self, faults: Faults) {
        let mut memory = self.memory();
        memory.bucket = Bucket::full(faults.limit, Instant::now());
        memory.faults = faults;
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.memory().calls.clone()
    }

    pub(super) fn bodies(&self) -> Vec<Box<[u8]>> {
        self.memory().bodies.clone()
    }

    pub(super) fn counters(&self) -> Counters {
        let (calls, peak) = {
            let memory = self.memory();
            (memory.calls.clone(), memory.owed_peak)
        };
        Counters::of(&calls, peak)
    }
}

impl Memory {
    fn receive(&mut self, prompt: &Prompt<'_>, body: &[u8], now: Instant, arrived: Duration) -> Plan {
        let wanted = self.wanted(prompt, body);
        let persona = prompt.persona_key();
        let attempts = self.attempts.entry((persona, wanted.key)).or_default();
        let attempt = *attempts + 1;
        let admitted = self.bucket.take(now);
        // When the limit strikes depends on the time; the faults of an attempt must not.
        if admitted.is_ok() {
            *attempts = attempt;
        }

        let number = self.calls.len();
        let prompt_tokens = (body.len() / 4) as u32;
        let seed = mix(&[self.faults.seed, persona]);
        let speaker = Speaker { model: prompt.model, wanted: &wanted, seed, prompt_tokens, number };
        let struck = match self.faults.script.get(number) {
            Some(scripted) => *scripted,
            None => self.faults.choose(persona, wanted.key, attempt),
        };
        let (outcome, answer) = if let Err(wait) = admitted {
            (Outcome::RateLimited, answer::rate_limited(wait))
        } else if wanted.dialect > self.faults.dialect {
            (Outcome::FormatRefused, answer::format_refused(wanted.dialect))
        } else if let Some(name) = unknown(&self.faults.unknown, body) {
            (Outcome::ParameterRefused, answer::parameter_refused(name))
        } else if let Some(fault) = struck {
            (Outcome::Injected(fault), speaker.struck(fault, self.faults.retry_after))
        } else {
            (Outcome::Answered, speaker.good())
        };

        let jitter = self.faults.jitter.mul_f64(unit(mix(&[persona, wanted.key, u64::from(attempt)])));
        self.owed += 1;
        self.owed_peak = self.owed_peak.max(self.owed);
        self.calls.push(Call {
            arrived,
            ended: None,
            persona,
            questions: wanted.key,
            body: prompt.body_key(persona),
            attempt,
            outcome,
            prompt_tokens,
            completion_tokens: answer.completion_tokens,
            retry_at: None,
        });
        if self.faults.keep_bodies {
            self.bodies.push(body.into());
        }
        Plan { answer, due: now + self.faults.latency + jitter, call: number }
    }

    /// What the call wants, read once for all calls with the same schema in the same place.
    fn wanted(&mut self, prompt: &Prompt<'_>, body: &[u8]) -> Arc<Wanted> {
        let key = hash(prompt.format.unwrap_or_default());
        if let Some(wanted) = self.wanted.get(&key) {
            return wanted.clone();
        }
        let wanted = Arc::new(Wanted::read(prompt.format, body));
        if wanted.dialect == super::Dialect::JsonSchema {
            if self.wanted.len() >= SCHEMAS_AT_MOST {
                self.wanted.clear();
            }
            self.wanted.insert(key, wanted.clone());
        }
        wanted
    }
}

/// The first of these parameters that the body has.
fn unknown(names: &[&'static str], body: &[u8]) -> Option<&'static str> {
    if names.is_empty() {
        return None;
    }
    let body: Value = serde_json::from_slice(body).ok()?;
    names.iter().copied().find(|name| body.get(name).is_some())
}

/// The hard limit: a call takes a token, tokens come back evenly.
struct Bucket {
    limit: Option<Limit>,
    tokens: f64,
    filled_at: Instant,
}

impl Bucket {
    fn full(limit: Option<Limit>, now: Instant) -> Self {
        Self { limit, tokens: limit.map_or(0.0, Limit::capacity), filled_at: now }
    }

    /// Takes a token, or says how long until there is one.
    fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let Some(limit) = self.limit else { return Ok(()) };
        let came_back = (now - self.filled_at).as_secs_f64() * limit.per_second();
        self.tokens = (self.tokens + came_back).min(limit.capacity());
        self.filled_at = now;
        if self.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - self.tokens) / limit.per_second()));
        }
        self.tokens -= 1.0;
        Ok(())
    }
}

impl Limit {
    fn per_second(self) -> f64 {
        f64::from(self.calls_per_minute.max(1)) / 60.0
    }

    fn capacity(self) -> f64 {
        (self.burst.as_secs_f64() * self.per_second()).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bucket_gives_its_burst_and_then_its_rate() {
        let start = Instant::now();
        let limit = Limit { calls_per_minute: 6_000, burst: Duration::from_secs(1) };
        let mut bucket = Bucket::full(Some(limit), start);
        let mut given = |millisecond| (0..500).filter(|_| bucket.take(start + millisecond).is_ok()).count();
        assert_eq!(given(Duration::ZERO), 100);
        assert_eq!(given(Duration::from_millis(500)), 50);
        assert_eq!(given(Duration::from_secs(60)), 100);
    }
}
