//! The right to make one call: how it is asked for, used and given back.

use std::time::Duration;

use actix::prelude::*;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::RateLimiter;

/// Asks for a permit. The permit arrives through `reply`; dropping the receiver withdraws the wish.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Acquire {
    pub run: i64,
    /// The interview has made a call before.
    pub begun: bool,
    pub estimated_tokens: u32,
    pub reply: oneshot::Sender<Permit>,
}

/// The right to make one call now.
#[derive(Debug)]
pub struct Permit {
    limiter: Option<Addr<RateLimiter>>,
    grant: Grant,
}

/// What a permit was granted for.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    pub run: i64,
    pub call: u64,
    pub estimated_tokens: u32,
    /// The one call that finds out whether the server is back.
    pub probe: bool,
}

/// How a permitted call ended, as far as the limiter cares.
#[derive(Clone, Copy, Debug)]
pub enum CallEnd {
    /// The server answered, whatever it said; with the time that it took where that was a completion.
    Answered { latency: Option<Duration>, tokens: u32 },
    /// 429: nobody calls before the instant.
    RateLimited { until: Instant },
    /// 5xx, time-out, broken connection.
    Down,
    /// No call was made, or it was given up.
    Unused,
}

impl Permit {
    pub(super) fn new(limiter: Addr<RateLimiter>, grant: Grant) -> Self {
        Self { limiter: Some(limiter), grant }
    }

    /// Gives the permit back and reports how the call ended. Answers whether the server is being treated as down: a
    /// call that failed so does not count as an attempt.
    pub async fn finish(mut self, end: CallEnd) -> bool {
        let Some(limiter) = self.limiter.take() else { return false };
        let report = Finish { grant: self.grant, end };
        if matches!(end, CallEnd::Down) {
            return limiter.send(report).await.unwrap_or(false);
        }
        limiter.do_send(report);
        false
    }

    /// Whether the call may still be made: not while the server wants to be left alone. Worth asking where the permit
    /// was not used at once; one that does not hold is dropped and another acquired.
    pub async fn still_holds(&self) -> bool {
        match &self.limiter {
            Some(limiter) => limiter.send(Confirm { probe: self.grant.probe }).await.unwrap_or(false),
            None => false,
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(limiter) = self.limiter.take() {
            limiter.do_send(Finish { grant: self.grant, end: CallEnd::Unused });
        }
    }
}

#[derive(Message)]
#[rtype(result = "bool")]
pub struct Confirm {
    pub probe: bool,
}

#[derive(Message)]
#[rtype(result = "bool")]
pub struct Finish {
    pub grant: Grant,
    pub end: CallEnd,
}
