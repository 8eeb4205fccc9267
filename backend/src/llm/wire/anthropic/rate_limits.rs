//! The rate limits that Anthropic reports in the headers of its replies.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::HeaderMap;

use crate::llm::outcome::RateLimitHeaders;
use crate::llm::wire::retry_after::duration_from_secs;

/// Reads the headers of one reply. What is missing or cannot be read is `None`.
pub fn read(headers: &HeaderMap, now: DateTime<Utc>) -> RateLimitHeaders {
    let text = |name: &str| headers.get(format!("anthropic-ratelimit-{name}"))?.to_str().ok().map(str::trim);
    let count = |name: &str| Some(u32::try_from(text(name)?.parse::<u64>().ok()?).unwrap_or(u32::MAX));
    let limit = |name: &str| count(name).filter(|limit| *limit > 0);
    let reset = |name: &str| until(text(name)?, now);
    RateLimitHeaders {
        limit_requests: limit("requests-limit"),
        limit_tokens: limit("tokens-limit").or_else(|| limit("input-tokens-limit")),
        remaining_requests: count("requests-remaining"),
        remaining_tokens: count("tokens-remaining").or_else(|| count("input-tokens-remaining")),
        reset_requests: reset("requests-reset"),
        reset_tokens: reset("tokens-reset").or_else(|| reset("input-tokens-reset")),
    }
}

fn until(time: &str, now: DateTime<Utc>) -> Option<Duration> {
    let time = DateTime::parse_from_rfc3339(time).ok()?;
    duration_from_secs((time.with_timezone(&Utc) - now).as_seconds_f64().max(0.0))
}
