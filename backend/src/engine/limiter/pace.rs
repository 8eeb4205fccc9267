//! A rate limit that nobody told us, learnt from the server's first refusals: what it accepted in that second.
//!
//! A server at its limit refuses every call after the first refusal; one that refuses at random (or that limits
//! something else) goes on accepting. Only the first kind is paced.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

#[derive(Default)]
pub struct Pace {
    /// Grants of the last second.
    granted: VecDeque<Instant>,
    /// Calls a second.
    rate: Option<f64>,
    /// When the next call may go.
    next: Option<Instant>,
    grown_at: Option<Instant>,
    burst: Option<Burst>,
    /// Calls accepted, and bursts of refusals, since there is a rate.
    hits: u32,
    misses: u32,
    /// The server refuses whatever the rate: it is not paced.
    random: bool,
}

/// Refusals that belong together.
struct Burst {
    began: Instant,
    /// The rate before it.
    rate: Option<f64>,
    /// Grants in the second up to it.
    granted: usize,
    first: u64,
    last: u64,
    refused: usize,
    /// Calls granted between the first and the last refused one, and accepted.
    accepted_between: usize,
    /// The same, but later than the last refused one so far: paced calls after the burst are no part of it.
    accepted_since: usize,
}

impl Burst {
    fn at_random(&self) -> bool {
        // While calls are paced that is no sign: a limit that is only just passed accepts most of them too.
        self.rate.is_none() && self.accepted_between * 5 >= (self.accepted_between + self.refused) * 3
    }
}

const WINDOW: Duration = Duration::from_secs(1);
/// A server at its limit refuses far less than one in so many calls that keep its pace.
const MISSES_AT_A_LIMIT: u32 = 7;
/// Refusals in a row that are a limit, even at a server that seemed to refuse at random.
const WALL: usize = 4;
const CUT: f64 = 0.95;
/// The part of the pace that makes a second a measurement of it.
const FULL: f64 = 0.8;
/// Growth a second while nothing is refused.
const GROWTH: f64 = 1.01;
/// Unrefused for so long, the limit is no longer there.
const FORGOTTEN: Duration = Duration::from_secs(300);

impl Pace {
    pub fn granted(&mut self, now: Instant) {
        self.granted.push_back(now);
        while self.granted.front().is_some_and(|at| now.duration_since(*at) > WINDOW) {
            self.granted.pop_front();
        }
        if let Some(rate) = self.rate {
            let step = Duration::from_secs_f64(1.0 / rate);
            // Late calls may catch up by one step, no more: a pace has no burst.
            self.next = Some(self.next.map_or(now, |next| next.max(now - step)) + step);
        }
    }

    /// A granted call was not made after all: it says nothing about what the server takes.
    pub fn unused(&mut self, now: Instant) {
        self.granted.pop_back();
        if let Some(burst) = &mut self.burst
            && now.duration_since(burst.began) < WINDOW
        {
            burst.granted = burst.granted.saturating_sub(1);
            if !self.random {
                self.learn(None);
            }
        }
    }

    /// The call granted as number `call` was refused; nobody calls before `until`. Says whether the server seems to
    /// refuse at random.
    pub fn refused(&mut self, call: u64, now: Instant, until: Instant) -> bool {
        let rate = self.rate;
        let granted = self.granted.len();
        let fresh = || Burst {
            began: now,
            rate,
            granted,
            first: call,
            last: call,
            refused: 0,
            accepted_between: 0,
            accepted_since: 0,
        };
        let burst = match &mut self.burst {
            Some(burst) if now.duration_since(burst.began) < WINDOW => burst,
            slot => {
                self.misses += u32::from(rate.is_some());
                slot.insert(fresh())
            }
        };
        burst.first = burst.first.min(call);
        if call > burst.last {
            burst.last = call;
            burst.accepted_between += std::mem::take(&mut burst.accepted_since);
        }
        burst.refused += 1;
        let at_random = burst.at_random();
        let all_refused = burst.refused >= WALL && burst.accepted_between == 0;
        if self.random && !all_refused {
            return true;
        }
        if self.misses >= 2 && self.misses * MISSES_AT_A_LIMIT > self.hits {
            burst.rate = None;
            (self.rate, self.next, self.random) = (None, None, true);
            (self.hits, self.misses) = (0, 0);
            return true;
        }
        self.random = false;
        self.learn(Some(until));
        at_random
    }

    pub fn accepted(&mut self, call: u64) {
        self.hits += u32::from(self.rate.is_some());
        if let Some(burst) = &mut self.burst
            && call > burst.first
        {
            if call > burst.last {
                burst.accepted_since += 1;
                return;
            }
            burst.accepted_between += 1;
            if !self.random && burst.at_random() {
                self.learn(None);
            }
        }
    }

    fn learn(&mut self, until: Option<Instant>) {
        let Some(burst) = &self.burst else { return };
        if burst.at_random() {
            self.rate = burst.rate;
            self.next = None;
            return;
        }
        let measured = burst.granted.saturating_sub(burst.refused).max(1) as f64 / WINDOW.as_secs_f64();
        let rate = match burst.rate {
            // A second in which we held back, e.g. after a wait, says nothing about what the server takes.
            Some(rate) if (burst.granted as f64) < rate * FULL => rate,
            Some(rate) => rate.min(measured),
            None => measured,
        };
        self.rate = Some(rate * CUT);
        self.grown_at = Some(burst.began);
        self.next = self.next.max(until);
    }

    /// When the next call may go; `None`: at once.
    pub fn wait(&mut self, now: Instant) -> Option<Instant> {
        let rate = self.rate?;
        if self.burst.as_ref().is_some_and(|burst| now.duration_since(burst.began) > FORGOTTEN) {
            *self = Self { granted: std::mem::take(&mut self.granted), ..Self::default() };
            return None;
        }
        let quiet = self.grown_at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        if quiet >= WINDOW {
            self.rate = Some(rate * GROWTH.powf(quiet.as_secs_f64()));
            self.grown_at = Some(now);
        }
        self.next.filter(|next| *next > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(1);

    /// A server with a bucket of 100 calls that refills 100 a second, and a client that wants as much as it gets.
    /// Refusals come back at once. Returns (accepted, refused) after 20 s.
    fn against_a_bucket(pace: &mut Pace) -> (usize, usize) {
        let start = Instant::now();
        let (mut bucket, mut accepted, mut refused, mut call, mut blocked) = (100.0_f64, 0, 0, 0, start);
        for tick in 0..20_000 {
            let now = start + tick * TICK;
            bucket = (bucket + 0.1).min(100.0);
            // 64 at once at the most: what is under way when the first refusal arrives.
            for _ in 0..64 {
                if now < blocked || pace.wait(now).is_some() {
                    break;
                }
                call += 1;
                pace.granted(now);
                if bucket >= 1.0 {
                    bucket -= 1.0;
                    accepted += 1;
                } else {
                    refused += 1;
                    blocked = now + Duration::from_secs(1);
                    pace.refused(call, now, blocked);
                }
            }
        }
        (accepted, refused)
    }

    #[test]
    fn an_untold_limit_is_found_with_few_refusals_and_then_used() {
        let (accepted, refused) = against_a_bucket(&mut Pace::default());
        assert!(accepted > 1_800, "{accepted} accepted");
        assert!(refused < 20, "{refused} refused");
    }

    #[test]
    fn refusals_at_random_that_come_one_by_one_do_not_bring_the_pace_to_a_crawl() {
        let mut pace = Pace::default();
        let mut now = Instant::now();
        let start = now;
        // One call at a time, three in ten refused with a second's wait.
        for call in 0..200 {
            now = pace.wait(now).unwrap_or(now).max(now);
            pace.granted(now);
            if call % 10 < 3 {
                pace.refused(call, now, now + WINDOW);
                now += WINDOW;
            } else {
                pace.accepted(call);
            }
        }
        let waited = now - start;
        assert!(waited < Duration::from_secs(60 + 20), "60 s were asked for, {waited:?} waited");
    }

    #[test]
    fn a_server_that_refuses_at_random_is_not_paced() {
        let mut pace = Pace::default();
        let now = Instant::now();
        for _ in 0..100 {
            pace.granted(now);
        }
        for call in 0..100 {
            if call % 3 == 0 {
                let _ = pace.refused(call, now, now);
            } else {
                pace.accepted(call);
            }
        }
        assert_eq!(pace.wait(now), None);
        assert_eq!(pace.rate, None);
    }
}
