//! Faults on demand: waits, errors, a rate limit, broken replies.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Options;
use super::direction::uniform;
use super::server_error::ServerError;

/// One server's behaviour, shared by its threads.
pub struct Faults {
    options: Options,
    calls: AtomicU64,
    bucket: Option<Bucket>,
}

/// How a reply is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A success whose body is an HTML page.
    HtmlPage,
    /// A completion without choices.
    NoChoices,
    /// Prose where JSON was asked for.
    Prose,
    /// JSON that ends in the middle, `finish_reason` length.
    Truncated,
    /// The first field of the reply is not there.
    MissingField,
    /// A field holds what the schema does not allow.
    WrongValue,
}

impl Defect {
    const ALL: [Self; 6] =
        [Self::HtmlPage, Self::NoChoices, Self::Prose, Self::Truncated, Self::MissingField, Self::WrongValue];
}

/// What awaits one call.
pub struct Fate {
    pub wait: Duration,
    pub defect: Option<Defect>,
}

impl Faults {
    pub fn new(options: Options) -> Self {
        let bucket = options.rate_limit_rpm.map(Bucket::new);
        Self { options, calls: AtomicU64::new(0), bucket }
    }

    pub fn seed(&self) -> u64 {
        self.options.seed
    }

    /// The fate of the next call. A 429 comes first: it costs the server nothing.
    pub fn next(&self) -> Result<Fate, ServerError> {
        if let Some(bucket) = &self.bucket {
            bucket.take(Instant::now()).map_err(|wait| ServerError::rate_limited(bucket.rpm, whole_seconds(wait)))?;
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let dice = |what: &str| uniform(&[what.as_bytes(), &self.options.seed.to_le_bytes(), &call.to_le_bytes()]);
        if dice("error") < self.options.error_rate {
            return Err(ServerError::injected());
        }
        let defect = (dice("malformed") < self.options.malformed_rate)
            .then(|| Defect::ALL[(dice("defect") * Defect::ALL.len() as f64) as usize]);
        Ok(Fate { wait: self.options.latency + self.options.jitter.mul_f64(dice("jitter")), defect })
    }
}

/// `Retry-After` knows no fractions, and a client must not come early.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs_f64().ceil() as u64
}

/// A token bucket that holds one second's worth, at least one.
struct Bucket {
    rpm: u32,
    level: Mutex<(f64, Instant)>,
}

impl Bucket {
    fn new(rpm: u32) -> Self {
        Self { rpm, level: Mutex::new((Self::capacity(rpm), Instant::now())) }
    }

    fn capacity(rpm: u32) -> f64 {
        (f64::from(rpm) / 60.0).max(1.0)
    }

    /// Takes one token, or says how long until there is one.
    fn take(&self, now: Instant) -> Result<(), Duration> {
        let a_second = f64::from(self.rpm.max(1)) / 60.0;
        // Two numbers cannot be left half written: a poisoned lock is as good as any.
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let (tokens, since) = *level;
        let tokens =
            (tokens + now.saturating_duration_since(since).as_secs_f64() * a_second).min(Self::capacity(self.rpm));
        if tokens >= 1.0 {
            *level = (tokens - 1.0, now);
            return Ok(());
        }
        *level = (tokens, now);
        Err(Duration::from_secs_f64((1.0 - tokens) / a_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_gives_a_second_s_worth_and_then_the_rate() {
        let bucket = Bucket::new(600);
        let start = bucket.level.lock().unwrap().1;
        let granted = |at: Duration| (0..100).filter(|_| bucket.take(start + at).is_ok()).count();
        assert_eq!(granted(Duration::ZERO), 10);
        assert_eq!(granted(Duration::from_millis(550)), 5);
        assert_eq!(granted(Duration::from_secs(60)), 10);
    }

    #[test]
    fn a_refused_call_passes_after_the_wait_that_it_was_told() {
        let bucket = Bucket::new(6);
        let start = bucket.level.lock().unwrap().1;
        assert_eq!(bucket.take(start), Ok(()));
        let wait = bucket.take(start).unwrap_err();
        assert_eq!(whole_seconds(wait), 10);
        assert_eq!(bucket.take(start + Duration::from_secs(10)), Ok(()));
    }

    #[test]
    fn the_same_seed_gives_the_same_faults() {
        let fates = |seed| {
            let faults = Faults::new(Options { seed, error_rate: 0.2, malformed_rate: 0.3, ..Options::default() });
            (0..500)
                .map(|_| faults.next().map(|fate| fate.defect).map_err(|error| error.to_string()))
                .collect::<Vec<_>>()
        };
        let first = fates(1);
        assert_eq!(first, fates(1));
        assert_ne!(first, fates(2));
        let errors = first.iter().filter(|fate| fate.is_err()).count();
        assert!((60..=140).contains(&errors), "{errors}");
        for defect in Defect::ALL {
            assert!(first.iter().any(|fate| fate == &Ok(Some(defect))), "{defect:?}");
        }
    }
}
