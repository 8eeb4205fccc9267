//! The record of all calls, and counters.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Fault;
use crate::request::Wire;

const MINUTE: Duration = Duration::from_secs(60);
/// Time after a 429 in which calls may still arrive that were already on their way.
const ON_THE_WAY: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    /// Refused by the limit, not by an injected fault.
    RateLimited,
    /// 400: the server does not know the format.
    FormatRefused,
    /// 400: the server does not know a parameter.
    ParameterRefused,
    Injected(Fault),
}

impl Outcome {
    pub fn name(self) -> String {
        match self {
            Self::Answered => "answered".into(),
            Self::RateLimited => "rate-limited".into(),
            Self::FormatRefused => "format-refused".into(),
            Self::ParameterRefused => "parameter-refused".into(),
            Self::Injected(fault) => fault.name(),
        }
    }
}

/// One call for a completion. Times are since the server's start.
#[derive(Clone, Debug)]
pub struct Call {
    pub wire: Wire,
    pub arrived: Duration,
    /// End of the call. `None` while the answer is owed.
    pub ended: Option<Duration>,
    /// Hash of the first text as sent, see [`crate::persona_key`].
    pub persona: u64,
    /// Hash of the requested schema.
    pub questions: u64,
    /// Hash of the whole body.
    pub body: u64,
    /// Number of the call with this persona and these questions, 1-based.
    pub attempt: u32,
    pub outcome: Outcome,
    pub prompt_tokens: u32,
    pub completion_tokens: u32,
    /// Tokens of the prompt that were read from and written to the cache.
    pub cached_tokens: u32,
    pub cache_written_tokens: u32,
    /// Tokens of the completion that the model reasoned with.
    pub reasoning_tokens: u32,
    /// End of the wait that a 429 requested.
    pub retry_at: Option<Duration>,
}

/// Numbers of calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    pub calls: u64,
    pub by_outcome: BTreeMap<String, u64>,
    /// Number of 429s of any kind.
    pub too_many_requests: u64,
    /// Number of calls that arrived before the end of a Retry-After given to any call.
    pub early_calls: u64,
    /// Maximum number of calls that were owed an answer at the same time.
    pub concurrency_peak: u64,
    /// Maximum number of calls that arrived in any 60 seconds.
    pub calls_per_minute_peak: u64,
    /// Maximum number of tokens, prompts and answers, in any 60 seconds.
    pub tokens_per_minute_peak: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// Tokens of prompts that were read from and written to the cache.
    pub cached_tokens: u64,
    pub cache_written_tokens: u64,
    pub reasoning_tokens: u64,
}

impl Counters {
    pub fn count(calls: &[Call], concurrency_peak: u64) -> Self {
        let mut counters = Self {
            calls: calls.len() as u64,
            early_calls: early_calls(calls, ON_THE_WAY),
            concurrency_peak,
            calls_per_minute_peak: peak_per_minute(calls, |_| 1),
            tokens_per_minute_peak: peak_per_minute(calls, |call| {
                u64::from(call.prompt_tokens) + u64::from(call.completion_tokens)
            }),
            ..Self::default()
        };
        for call in calls {
            *counters.by_outcome.entry(call.outcome.name()).or_default() += 1;
            counters.prompt_tokens += u64::from(call.prompt_tokens);
            counters.completion_tokens += u64::from(call.completion_tokens);
            counters.cached_tokens += u64::from(call.cached_tokens);
            counters.cache_written_tokens += u64::from(call.cache_written_tokens);
            counters.reasoning_tokens += u64::from(call.reasoning_tokens);
            counters.too_many_requests += u64::from(is_too_many_requests(call.outcome));
        }
        counters
    }

    /// Number of calls with this outcome. The names are those of [`Outcome::name`].
    pub fn outcome(&self, name: &str) -> u64 {
        self.by_outcome.get(name).copied().unwrap_or(0)
    }
}

fn is_too_many_requests(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::RateLimited
            | Outcome::Injected(
                Fault::TooManyRequests
                    | Fault::TooManyRequestsUntil
                    | Fault::TooManyRequestsReset
                    | Fault::InsufficientQuota
            )
    )
}

/// Returns the maximum of `weight`, summed over the calls of any window of a minute.
fn peak_per_minute(calls: &[Call], weight: impl Fn(&Call) -> u64) -> u64 {
    let (mut oldest, mut sum, mut peak) = (0, 0, 0);
    for call in calls {
        sum += weight(call);
        while calls[oldest].arrived + MINUTE <= call.arrived {
            sum -= weight(&calls[oldest]);
            oldest += 1;
        }
        peak = peak.max(sum);
    }
    peak
}

/// Counts the calls that arrived more than `grace` after a 429 was written and before the time that it named.
pub fn early_calls(calls: &[Call], grace: Duration) -> u64 {
    let mut refusals: Vec<_> = calls.iter().filter_map(|call| Some((call.ended? + grace, call.retry_at?))).collect();
    refusals.sort_unstable();
    let (mut next, mut blocked_until, mut early) = (0, Duration::ZERO, 0);
    for call in calls {
        while next < refusals.len() && refusals[next].0 < call.arrived {
            blocked_until = blocked_until.max(refusals[next].1);
            next += 1;
        }
        early += u64::from(call.arrived < blocked_until);
    }
    early
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arrived_ms: u64, retry_after_ms: Option<u64>) -> Call {
        let arrived = Duration::from_millis(arrived_ms);
        Call {
            wire: Wire::OpenAi,
            arrived,
            ended: Some(arrived),
            persona: 0,
            questions: 0,
            body: 0,
            attempt: 1,
            outcome: if retry_after_ms.is_some() { Outcome::RateLimited } else { Outcome::Answered },
            prompt_tokens: 10,
            completion_tokens: 1,
            cached_tokens: 0,
            cache_written_tokens: 0,
            reasoning_tokens: 0,
            retry_at: retry_after_ms.map(|wait| arrived + Duration::from_millis(wait)),
        }
    }

    #[test]
    fn the_sliding_minute_forgets_what_is_a_minute_old() {
        let calls: Vec<_> = [0, 30_000, 59_999, 60_000, 89_999, 200_000].map(|at| call(at, None)).to_vec();
        let counters = Counters::count(&calls, 0);
        assert_eq!(counters.calls_per_minute_peak, 4);
        assert_eq!(counters.tokens_per_minute_peak, 44);
    }

    #[test]
    fn calls_before_a_retry_after_are_early_but_not_those_on_their_way() {
        let calls = [call(0, Some(1_000)), call(40, None), call(500, None), call(999, None), call(1_000, None)];
        assert_eq!(early_calls(&calls, ON_THE_WAY), 2);
    }

    #[test]
    fn the_latest_time_named_by_anybody_counts() {
        let calls = [call(0, Some(5_000)), call(10, Some(1_000)), call(3_000, None), call(6_000, None)];
        assert_eq!(early_calls(&calls, ON_THE_WAY), 1);
    }
}
