//! Rate limits that the server enforces, and headers with the remaining allowance.

use std::time::{Duration, Instant};

use crate::http::HttpResponse;
use crate::request::Wire;
use crate::wire;

/// Hard limits, each kept by a token bucket that starts full. There are none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Calls a minute.
    pub requests: Option<u32>,
    /// Tokens a minute: those of the prompts, and of the replies to earlier calls.
    pub tokens: Option<u32>,
    /// Unused allowance that is kept, as a time. At least one call is kept.
    pub burst: Duration,
    /// Whether every reply reports the limits in headers, as OpenAI's and Anthropic's do.
    pub headers: bool,
}

/// The rest of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    pub name: &'static str,
    pub limit: u32,
    pub remaining: f64,
    pub until_full: Duration,
}

/// The state of the limits.
pub struct Buckets {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    headers: bool,
}

impl Buckets {
    pub fn full(limits: Limits, now: Instant) -> Self {
        let bucket = |per_minute: u32| Bucket::full(per_minute, limits.burst, now);
        Self { requests: limits.requests.map(bucket), tokens: limits.tokens.map(bucket), headers: limits.headers }
    }

    /// Takes one call with this number of prompt tokens, or returns the wait until there is room for it.
    pub fn take(&mut self, tokens: u32, now: Instant) -> Result<(), Duration> {
        let mut needs: Vec<_> = [(&mut self.requests, 1.0), (&mut self.tokens, f64::from(tokens))]
            .into_iter()
            .filter_map(|(bucket, amount)| Some((bucket.as_mut()?, amount)))
            .collect();
        let waits = needs.iter_mut().filter_map(|(bucket, amount)| bucket.wait(*amount, now));
        if let Some(wait) = waits.max() {
            return Err(wait);
        }
        needs.iter_mut().for_each(|(bucket, amount)| bucket.level -= *amount);
        Ok(())
    }

    /// Takes tokens of a reply, which may exceed the allowance.
    pub fn charge(&mut self, tokens: u32) {
        if let Some(bucket) = &mut self.tokens {
            bucket.level -= f64::from(tokens);
        }
    }

    pub fn add_headers(&self, wire: Wire, response: &mut HttpResponse) {
        if !self.headers {
            return;
        }
        for (name, bucket) in [("requests", &self.requests), ("tokens", &self.tokens)] {
            let Some(bucket) = bucket else { continue };
            let until_full = (bucket.capacity - bucket.level) / bucket.per_second;
            let allowance = Allowance {
                name,
                limit: bucket.per_minute,
                remaining: bucket.level.max(0.0).floor(),
                until_full: Duration::from_secs_f64(until_full.max(0.0)),
            };
            wire::add_limit_headers(wire, response, &allowance);
        }
    }
}

struct Bucket {
    per_minute: u32,
    per_second: f64,
    capacity: f64,
    level: f64,
    filled_at: Instant,
}

impl Bucket {
    fn full(per_minute: u32, burst: Duration, now: Instant) -> Self {
        let per_second = f64::from(per_minute.max(1)) / 60.0;
        let capacity = (burst.as_secs_f64() * per_second).max(1.0);
        Self { per_minute, per_second, capacity, level: capacity, filled_at: now }
    }

    /// Returns the wait until this amount is available, or `None` if it is now. An amount above the capacity needs a
    /// full bucket.
    fn wait(&mut self, amount: f64, now: Instant) -> Option<Duration> {
        let gained = now.saturating_duration_since(self.filled_at).as_secs_f64() * self.per_second;
        self.level = (self.level + gained).min(self.capacity);
        self.filled_at = now;
        let missing = amount.min(self.capacity) - self.level;
        (missing > 0.0).then(|| Duration::from_secs_f64(missing / self.per_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let start = Instant::now();
        let limits = Limits { requests: Some(6_000), burst: Duration::from_secs(1), ..Limits::default() };
        let mut buckets = Buckets::full(limits, start);
        let mut given = |millisecond| (0..500).filter(|_| buckets.take(9, start + millisecond).is_ok()).count();
        assert_eq!(given(Duration::ZERO), 100);
        assert_eq!(given(Duration::from_millis(500)), 50);
        assert_eq!(given(Duration::from_secs(60)), 100);
    }

    #[test]
    fn a_refused_call_has_room_after_the_wait() {
        let start = Instant::now();
        let mut buckets = Buckets::full(Limits { requests: Some(6), ..Limits::default() }, start);
        assert_eq!(buckets.take(1, start), Ok(()));
        assert_eq!(buckets.take(1, start), Err(Duration::from_secs(10)));
        assert_eq!(buckets.take(1, start + Duration::from_secs(10)), Ok(()));
    }

    #[test]
    fn tokens_are_limited_too_and_a_call_refused_for_them_costs_nothing() {
        let start = Instant::now();
        let burst = Duration::from_secs(60);
        let mut buckets = Buckets::full(Limits { requests: Some(2), tokens: Some(600), burst, headers: true }, start);
        assert_eq!(buckets.take(500, start), Ok(()));
        assert_eq!(buckets.take(200, start), Err(Duration::from_secs(10)));
        buckets.charge(50);
        let mut response = HttpResponse::empty("200 OK");
        buckets.add_headers(Wire::OpenAi, &mut response);
        let head = response.head(0);
        for line in [
            "limit-requests: 2",
            "remaining-requests: 1",
            "reset-requests: 30s",
            "limit-tokens: 600",
            "remaining-tokens: 50",
            "reset-tokens: 55s",
        ] {
            assert!(head.contains(&format!("x-ratelimit-{line}\r\n")), "{line}: {head}");
        }
    }
}
