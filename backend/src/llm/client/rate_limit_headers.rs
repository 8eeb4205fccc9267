//! What a model server reports about its rate limits in the `x-ratelimit-*` headers.

use std::time::Duration;

/// One limit: how much per minute, how much of it is left, and when it is full again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    pub limit: Option<u32>,
    pub remaining: Option<u32>,
    pub reset: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimitHeaders {
    pub requests: Allowance,
    pub tokens: Allowance,
}
