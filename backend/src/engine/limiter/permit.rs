//! The right to make one call: how it is requested, used and returned.

use std::time::Duration;

use actix::prelude::*;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::circuit::Cost;
use crate::llm::RateLimitHeaders;

/// Requests a permit, which comes through `reply`. Dropping the receiver withdraws the request.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Acquire {
    pub run: i64,
    /// The interview has made a call before.
    pub started: bool,
    pub estimated_tokens: u32,
    pub reply: oneshot::Sender<Permit>,
}

/// The right to make one call now.
#[derive(Debug)]
pub struct Permit {
    /// The limiter; `None`: the permit was returned.
    limiter: Option<Recipient<Finish>>,
    confirm: Recipient<Confirm>,
    grant: Grant,
}

/// The call that a permit was granted for.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    pub run: i64,
    pub estimated_tokens: u32,
    /// The call is a probe: it finds out whether the server answers.
    pub probe: bool,
    /// Outages that this worker has seen before.
    pub outages: u32,
}

/// How a permitted call ended, for the limiter.
#[derive(Clone, Debug)]
pub enum CallEnd {
    Completed {
        latency: Duration,
        tokens: u32,
        headers: RateLimitHeaders,
    },
    /// The server answered, but not the requests of an interview: it refused them, or it was a probe.
    Answered,
    /// 429: no call before the instant.
    RateLimited {
        until: Instant,
    },
    /// 5xx, time-out, broken connection.
    Down {
        /// Any call would have failed, whatever it asked.
        unreachable: bool,
        reason: String,
    },
    /// No call was made, or it was dropped.
    Unused,
}

impl Permit {
    pub(super) fn new(limiter: Recipient<Finish>, confirm: Recipient<Confirm>, grant: Grant) -> Self {
        Self { limiter: Some(limiter), confirm, grant }
    }

    /// Returns the permit and reports how the call ended.
    pub async fn finish(mut self, end: CallEnd) -> Cost {
        let Some(limiter) = self.limiter.take() else { return Cost::Attempt };
        let failed = matches!(end, CallEnd::Down { .. });
        let report = Finish { grant: self.grant, end };
        if failed {
            return limiter.send(report).await.unwrap_or(Cost::Attempt);
        }
        limiter.do_send(report);
        Cost::Attempt
    }

    /// The permit is not for the interview's own request, but for a probe.
    pub fn is_for_a_probe(&self) -> bool {
        self.grant.probe
    }

    /// How many outages there were before. What failed before the last one does not count.
    pub fn outages(&self) -> u32 {
        self.grant.outages
    }

    /// Whether the call may still be made: not while the server is blocked or down. For a permit that was not used at
    /// once; if it does not hold any more, drop it and acquire another one.
    pub async fn still_holds(&self) -> bool {
        self.confirm.send(Confirm).await.unwrap_or(false)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(limiter) = self.limiter.take() {
            limiter.do_send(Finish { grant: self.grant, end: CallEnd::Unused });
        }
    }
}

/// Asks whether a call may start now.
#[derive(Message)]
#[rtype(result = "bool")]
pub struct Confirm;

/// Returns a permit.
#[derive(Message)]
#[rtype(result = "Cost")]
pub struct Finish {
    pub grant: Grant,
    pub end: CallEnd,
}
