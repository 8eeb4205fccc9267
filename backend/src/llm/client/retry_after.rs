//! How long a refusing server asks to be left alone.

use std::time::Duration;

use chrono::{DateTime, Utc};
use http::header::HeaderMap;

/// A longer wait is not believed.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date, else the longest `x-ratelimit-reset-*` of
/// those allowances that are used up. A date in the past is no wait.
pub fn read(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = || seconds(header("retry-after-ms")?.parse::<f64>().ok()? / 1000.0);
    let retry_after = || {
        let value = header("retry-after")?;
        value.parse().ok().and_then(seconds).or_else(|| until(value, now))
    };
    let resets = || {
        let reset = |kind: &str| {
            let used_up = header(&format!("x-ratelimit-remaining-{kind}")).is_none_or(|left| left == "0");
            used_up.then(|| header(&format!("x-ratelimit-reset-{kind}")).and_then(units)).flatten()
        };
        reset("requests").max(reset("tokens"))
    };
    milliseconds().or_else(retry_after).or_else(resets).map(|wait| wait.min(LONGEST))
}

/// `None` for what is negative or no number; huge numbers are the longest wait.
fn seconds(seconds: f64) -> Option<Duration> {
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST))
}

fn until(date: &str, now: DateTime<Utc>) -> Option<Duration> {
    let date = DateTime::parse_from_rfc2822(date).ok()?;
    Some((date.with_timezone(&Utc) - now).to_std().unwrap_or(Duration::ZERO))
}

/// OpenAI's way of writing durations: `1s`, `6m0s`, `20ms`, `1h2m3.5s`; a bare number is seconds.
fn units(text: &str) -> Option<Duration> {
    if let Ok(number) = text.parse() {
        return seconds(number);
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, tail) = rest.split_at(end);
        let unit_end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let factor = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * factor;
        rest = tail;
    }
    seconds(total)
}

#[cfg(test)]
mod tests {
    use http::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<f64> {
        let headers =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        read(&headers.collect(), now).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn waits_are_read_in_every_spelling() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(7.0));
        assert_eq!(wait(&[("retry-after", "0.25")]), Some(0.25));
        assert_eq!(wait(&[("retry-after", "9"), ("retry-after-ms", "1500")]), Some(1.5));
        assert_eq!(wait(&[("retry-after", "Thu, 01 Jan 2026 00:01:30 GMT")]), Some(90.0));
        assert_eq!(wait(&[("retry-after", "Wed, 31 Dec 2025 23:00:00 GMT")]), Some(0.0));
        assert_eq!(wait(&[("x-ratelimit-reset-requests", "6m0.5s")]), Some(360.5));
        assert_eq!(wait(&[("x-ratelimit-reset-tokens", "20ms")]), Some(0.02));
    }

    #[test]
    fn only_the_allowance_that_is_used_up_is_waited_for() {
        let headers = [
            ("x-ratelimit-remaining-requests", "12"),
            ("x-ratelimit-reset-requests", "1h"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "3s"),
        ];
        assert_eq!(wait(&headers), Some(3.0));
    }

    #[test]
    fn nonsense_is_no_wait_and_a_year_is_a_day() {
        for nonsense in ["", "soon", "-5", "NaN", "1x2y"] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
            assert_eq!(wait(&[("x-ratelimit-reset-requests", nonsense)]).unwrap_or(0.0), 0.0, "{nonsense}");
        }
        assert_eq!(wait(&[("retry-after", "1e300")]), Some(86400.0));
        assert_eq!(wait(&[("retry-after", "inf")]), Some(86400.0));
    }
}
