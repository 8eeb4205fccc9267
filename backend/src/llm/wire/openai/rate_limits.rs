//! The rate limits that a model server reports in the headers of its replies.

use std::time::Duration;

use reqwest::header::HeaderMap;

use crate::llm::outcome::RateLimitHeaders;
use crate::llm::wire::retry_after::duration_from_secs;

/// Reads the `x-ratelimit-*` headers of one reply. What is missing or cannot be read is `None`.
pub fn read(headers: &HeaderMap) -> RateLimitHeaders {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let count = |name| Some(u32::try_from(text(name)?.parse::<u64>().ok()?).unwrap_or(u32::MAX));
    let limit = |name| count(name).filter(|limit| *limit > 0);
    let reset = |name| text(name).and_then(parse_duration);
    RateLimitHeaders {
        limit_requests: limit("x-ratelimit-limit-requests"),
        limit_tokens: limit("x-ratelimit-limit-tokens"),
        remaining_requests: count("x-ratelimit-remaining-requests"),
        remaining_tokens: count("x-ratelimit-remaining-tokens"),
        reset_requests: reset("x-ratelimit-reset-requests"),
        reset_tokens: reset("x-ratelimit-reset-tokens"),
    }
}

/// OpenAI's format for durations: `1s`, `6m0s`, `20ms`, `1h2m3.5s`. A bare number is seconds.
fn parse_duration(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return duration_from_secs(seconds);
    }
    let mut total = 0.0;
    let mut rest = Some(text).filter(|text| !text.is_empty())?;
    while !rest.is_empty() {
        let (number, tail) = rest.split_at(rest.find(|c: char| c.is_ascii_alphabetic())?);
        let (unit, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len()));
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * seconds;
        rest = tail;
    }
    duration_from_secs(total)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn read(headers: &[(&'static str, &'static str)]) -> RateLimitHeaders {
        let headers =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        super::read(&headers.collect())
    }

    #[test]
    fn all_six_headers_are_read() {
        let headers = read(&[
            ("x-ratelimit-limit-requests", "500"),
            ("x-ratelimit-limit-tokens", "200000"),
            ("x-ratelimit-remaining-requests", "499"),
            ("x-ratelimit-remaining-tokens", " 0 "),
            ("x-ratelimit-reset-requests", "120ms"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ]);
        let expected = RateLimitHeaders {
            limit_requests: Some(500),
            limit_tokens: Some(200_000),
            remaining_requests: Some(499),
            remaining_tokens: Some(0),
            reset_requests: Some(Duration::from_millis(120)),
            reset_tokens: Some(Duration::from_secs(360)),
        };
        assert_eq!(headers, expected);
        assert_eq!(read(&[]), RateLimitHeaders::default());
    }

    #[test]
    fn durations_are_read_in_every_format() {
        for (text, seconds) in [
            ("1s", 1.0),
            ("6m0s", 360.0),
            ("20ms", 0.02),
            ("7.66s", 7.66),
            ("1h2m3.5s", 3723.5),
            ("59", 59.0),
            ("0.25", 0.25),
            ("9d", 86400.0),
            ("1e300", 86400.0),
        ] {
            assert_eq!(parse_duration(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
    }

    #[test]
    fn values_that_cannot_be_read_are_none() {
        for nonsense in ["", "soon", "-5", "NaN", "-1s", "1x2y", "s"] {
            let headers = read(&[
                ("x-ratelimit-limit-requests", nonsense),
                ("x-ratelimit-remaining-tokens", nonsense),
                ("x-ratelimit-reset-requests", nonsense),
            ]);
            assert_eq!(headers, RateLimitHeaders::default(), "{nonsense:?}");
        }
        assert_eq!(read(&[("x-ratelimit-limit-tokens", "0")]).limit_tokens, None);
        assert_eq!(read(&[("x-ratelimit-limit-tokens", "99999999999")]).limit_tokens, Some(u32::MAX));
    }
}
