//! This worker's share of the calls and of the tokens per minute.

use std::time::Duration;

use governor::clock::DefaultClock;
use tokio::time::Instant;

use super::limits::Limits;
use super::quota::Quota;
use crate::llm::RateLimitHeaders;
use crate::models::model_servers::Rates;

/// Calls granted since the start and their estimated tokens.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    /// When the first one was granted.
    since: Option<Instant>,
    calls: u32,
    tokens: u32,
}

pub struct Quotas {
    limits: Limits,
    minute: Duration,
    /// Limits that the model server reported.
    reported: Option<Rates>,
    share: f64,
    rpm: Option<Quota>,
    tpm: Option<Quota>,
    used: Used,
}

impl Quotas {
    /// Starts without a share: nothing may be called.
    pub fn new(limits: Limits, minute: Duration) -> Self {
        Self { limits, minute, reported: None, share: 0.0, rpm: None, tpm: None, used: Used::default() }
    }

    pub fn share(&self) -> f64 {
        self.share
    }

    pub fn reported(&self) -> Option<Rates> {
        self.reported
    }

    pub fn set_share(&mut self, share: f64) {
        self.share = share;
        self.apply_rates();
    }

    /// Whether a call of `tokens` may start. `Err`: how long to wait for it.
    pub fn ready(&mut self, tokens: u32) -> Result<(), Duration> {
        // The first call may be larger than the burst of a small limit. The calls after it wait for what it overdraws.
        if self.nothing_used() {
            return Ok(());
        }
        for (quota, cells) in [(&mut self.rpm, 1), (&mut self.tpm, tokens)] {
            if let Some(quota) = quota {
                quota.ready(cells)?;
            }
        }
        Ok(())
    }

    /// Uses what [`Quotas::ready`] reserved for a call.
    pub fn take(&mut self, tokens: u32) {
        for (quota, cells) in [(&mut self.rpm, 1), (&mut self.tpm, tokens)] {
            if let Some(quota) = quota {
                quota.take(cells);
            }
        }
        self.used.since.get_or_insert_with(Instant::now);
        self.used.calls = self.used.calls.saturating_add(1);
        self.used.tokens = self.used.tokens.saturating_add(tokens);
    }

    /// Corrects the quota after a call that used `actual` tokens where `estimated` were taken.
    pub fn correct(&mut self, estimated: u32, actual: u32) {
        if let Some(tpm) = &mut self.tpm {
            tpm.correct(estimated, actual);
        }
    }

    /// Part of the scarcest limit that a call of `tokens` takes, in minutes of it.
    pub fn cost(&self, tokens: u32) -> f64 {
        let part = |quota: &Option<Quota>, cells: f64| quota.as_ref().map(|quota| cells / quota.per_minute());
        part(&self.rpm, 1.0).into_iter().chain(part(&self.tpm, f64::from(tokens))).reduce(f64::max).unwrap_or(1.0)
    }

    /// Takes over the limits that the server reports.
    ///
    /// The first report also says what remains of them: a worker that has the whole share uses it for what it would
    /// have used by now if it had known. Later reports are not read for that, because calls under way may have used
    /// what they say.
    pub fn read_headers(&mut self, headers: &RateLimitHeaders) {
        let known = self.reported.unwrap_or_default();
        let reported = Rates { rpm: headers.limit_requests.or(known.rpm), tpm: headers.limit_tokens.or(known.tpm) };
        if reported == known {
            return;
        }
        tracing::info!(rpm = reported.rpm, tpm = reported.tpm, "the model server reports its limits");
        let first = self.reported.replace(reported).is_none();
        self.apply_rates();
        if !first || self.share < 1.0 {
            return;
        }
        let elapsed = self.used.since.map_or(Duration::ZERO, |since| since.elapsed());
        let remaining = [headers.remaining_requests, headers.remaining_tokens];
        let used = [self.used.calls, self.used.tokens];
        for ((quota, remaining), used) in [&mut self.rpm, &mut self.tpm].into_iter().zip(remaining).zip(used) {
            if let (Some(quota), Some(remaining)) = (quota, remaining) {
                quota.start_with(remaining, used, elapsed);
            }
        }
    }

    /// Whether the whole minute is left: other workers, or earlier calls of this one, may have used a part of it.
    fn nothing_used(&self) -> bool {
        self.used.calls == 0 && self.share >= 1.0
    }

    /// Sets the quotas to this worker's share of the limits that hold.
    fn apply_rates(&mut self) {
        if self.share <= 0.0 {
            return;
        }
        let rates = self.limits.rates(self.reported);
        let full = self.nothing_used();
        let (share, minute) = (self.share, self.minute);
        let resize = |quota: Option<Quota>, limit: Option<u32>| {
            let rate = f64::from(limit?) * share;
            Some(match quota {
                Some(quota) => quota.at_rate(rate),
                None => Quota::new(rate, minute, full, DefaultClock::default()),
            })
        };
        self.rpm = resize(self.rpm.take(), rates.rpm);
        self.tpm = resize(self.tpm.take(), rates.tpm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ModelConfig;

    /// The quotas of a worker with this share, for a server that has reported nothing.
    fn quotas_of(rpm: Option<u32>, share: f64) -> Quotas {
        let model = ModelConfig {
            wire: Default::default(),
            models: Vec::new(),
            prices: Default::default(),
            base_url: Some("http://127.0.0.1:1".into()),
            name: "default".into(),
            key_source: None,
            known: Default::default(),
            reasoning: Vec::new(),
            contexts: Default::default(),
            api_key: None,
            model: "test".into(),
            rpm,
            tpm: None,
            max_concurrency: 64,
            questions_per_call: 1,
            timeout: Duration::from_secs(1),
            idle_timeout: Duration::from_secs(1),
            stream: true,
            max_attempts: 1,
        };
        let mut quotas = Quotas::new(Limits::new(&model), Duration::from_secs(60));
        quotas.set_share(share);
        quotas
    }

    fn report(quotas: &mut Quotas, requests: u32) {
        quotas.read_headers(&RateLimitHeaders { limit_requests: Some(requests), ..RateLimitHeaders::default() });
    }

    fn per_minute(quota: &Option<Quota>) -> Option<f64> {
        quota.as_ref().map(Quota::per_minute)
    }

    #[test]
    fn a_worker_takes_its_share_of_the_limits_that_the_server_reports() {
        let mut quotas = quotas_of(None, 0.5);
        assert_eq!((per_minute(&quotas.rpm), per_minute(&quotas.tpm)), (Some(250.0), Some(100_000.0)));
        report(&mut quotas, 6_000);
        assert_eq!((per_minute(&quotas.rpm), per_minute(&quotas.tpm)), (Some(3_000.0), None));
        quotas.set_share(1.0);
        assert_eq!(per_minute(&quotas.rpm), Some(6_000.0));
        // A reply without headers changes nothing.
        quotas.read_headers(&RateLimitHeaders::default());
        assert_eq!(per_minute(&quotas.rpm), Some(6_000.0));
    }

    #[test]
    fn a_limit_that_is_reported_grants_no_burst() {
        let mut quotas = quotas_of(None, 1.0);
        quotas.used.calls = 1;
        report(&mut quotas, 6_000);
        assert!(quotas.rpm.as_mut().is_some_and(|rpm| rpm.ready(1).is_err()));
    }

    #[test]
    fn what_the_first_report_leaves_of_a_limit_may_be_used_at_once() {
        let mut quotas = quotas_of(None, 1.0);
        quotas.used.calls = 3;
        let headers = |remaining| RateLimitHeaders {
            limit_requests: Some(6_000),
            remaining_requests: Some(remaining),
            ..RateLimitHeaders::default()
        };
        quotas.read_headers(&headers(40));
        quotas.read_headers(&headers(30));
        let rpm = quotas.rpm.as_mut().unwrap();
        assert!((0..40).all(|_| rpm.ready(1).map(|()| rpm.take(1)).is_ok()));
        assert!(rpm.ready(1).is_err(), "later reports grant nothing");
    }

    #[test]
    fn a_limit_that_is_reported_does_not_raise_the_one_that_is_set() {
        let mut quotas = quotas_of(Some(100), 1.0);
        report(&mut quotas, 6_000);
        assert_eq!(per_minute(&quotas.rpm), Some(100.0));
        report(&mut quotas, 60);
        assert_eq!(per_minute(&quotas.rpm), Some(60.0));
    }

    #[test]
    fn the_first_call_waits_for_no_cells_and_the_second_for_what_it_overdrew() {
        let mut quotas = quotas_of(None, 1.0);
        // More than the burst of the 200,000 tokens a minute that hold until the server reports its limit.
        let tokens = 20_000;
        assert_eq!(quotas.ready(tokens), Ok(()));
        quotas.take(tokens);
        assert!(quotas.ready(1).is_err());
    }

    #[test]
    fn the_first_call_of_one_among_several_workers_waits_for_its_cells() {
        let mut quotas = quotas_of(None, 0.5);
        assert!(quotas.ready(20_000).is_err());
    }
}
