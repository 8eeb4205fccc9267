//! How long a refusing server asks its callers to wait.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::HeaderMap;

use crate::llm::outcome::RateLimitHeaders;

/// Longer durations are cut to this.
const MAX_DURATION: Duration = Duration::from_secs(24 * 60 * 60);

/// `None` for what is negative or not a number. At most a day.
pub fn duration_from_secs(seconds: f64) -> Option<Duration> {
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(MAX_DURATION).min(MAX_DURATION))
}

/// `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date, else the longest reset of those `limits` of the
/// reply that are used up. A date in the past is no wait. At most a day.
pub fn read(headers: &HeaderMap, limits: &RateLimitHeaders, now: DateTime<Utc>) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = || duration_from_secs(text("retry-after-ms")?.parse::<f64>().ok()? / 1000.0);
    let retry_after = || {
        let value = text("retry-after")?;
        value.parse().ok().and_then(duration_from_secs).or_else(|| until(value, now))
    };
    let resets = || {
        let used_up = |remaining: Option<u32>| remaining.is_none_or(|remaining| remaining == 0);
        let requests = limits.reset_requests.filter(|_| used_up(limits.remaining_requests));
        let tokens = limits.reset_tokens.filter(|_| used_up(limits.remaining_tokens));
        requests.max(tokens)
    };
    milliseconds().or_else(retry_after).or_else(resets)
}

fn until(date: &str, now: DateTime<Utc>) -> Option<Duration> {
    let date = DateTime::parse_from_rfc2822(date).ok()?;
    duration_from_secs((date.with_timezone(&Utc) - now).as_seconds_f64().max(0.0))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<f64> {
        let headers =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let headers = headers.collect();
        read(&headers, &RateLimitHeaders::default(), now).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn waits_are_read_in_every_format() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(7.0));
        assert_eq!(wait(&[("retry-after", "0.25")]), Some(0.25));
        assert_eq!(wait(&[("retry-after", "9"), ("retry-after-ms", "1500")]), Some(1.5));
        assert_eq!(wait(&[("retry-after", "Thu, 01 Jan 2026 00:01:30 GMT")]), Some(90.0));
        assert_eq!(wait(&[("retry-after", "Wed, 31 Dec 2025 23:00:00 GMT")]), Some(0.0));
        assert_eq!(wait(&[("retry-after", "Fri, 01 Jan 2027 00:00:00 GMT")]), Some(86400.0));
    }

    #[test]
    fn only_the_limit_that_is_used_up_is_waited_for() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let limits = RateLimitHeaders { reset_requests: seconds(3600), reset_tokens: seconds(3), ..Default::default() };
        let wait = |limits| read(&HeaderMap::new(), &limits, Utc::now());
        assert_eq!(wait(limits), seconds(3600));
        let left = RateLimitHeaders { remaining_requests: Some(12), remaining_tokens: Some(0), ..limits };
        assert_eq!(wait(left), seconds(3));
    }

    #[test]
    fn nonsense_is_no_wait_and_a_year_is_a_day() {
        for nonsense in ["", "soon", "-5", "NaN", "1x2y"] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert_eq!(wait(&[("retry-after", "1e300")]), Some(86400.0));
        assert_eq!(wait(&[("retry-after", "inf")]), Some(86400.0));
    }
}
