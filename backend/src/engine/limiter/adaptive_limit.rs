//! How many calls at once: additive increase, multiplicative decrease (AIMD), below a configured maximum.

use std::time::Duration;

use tokio::time::Instant;

pub struct AdaptiveLimit {
    maximum: f64,
    limit: f64,
    /// The limit at the last refusal: beyond it the limit grows slowly.
    ceiling: f64,
    successes: u32,
    last_cut: Option<Instant>,
    latencies: Latencies,
}

/// Successes that raise the limit by one, below and beyond the ceiling.
const STEP_BELOW: u32 = 25;
const STEP_BEYOND: u32 = 100;
const CUT: f64 = 0.75;
/// Refusals do not cut the limit below this part of the maximum. Most are about calls a minute: those are waited out by
/// Retry-After, and fewer calls at once would not help.
const MIN_PART: f64 = 1.0 / 8.0;
/// Refusals this soon after a cut belong to the same burst.
const BURST: Duration = Duration::from_secs(1);

impl AdaptiveLimit {
    pub fn new(maximum: f64) -> Self {
        Self {
            maximum,
            limit: maximum,
            ceiling: maximum,
            successes: 0,
            last_cut: None,
            latencies: Latencies::default(),
        }
    }

    pub fn limit(&self) -> usize {
        self.limit.min(self.maximum) as usize
    }

    /// This worker's share of the configured maximum changed.
    pub fn set_maximum(&mut self, maximum: f64) {
        let unrestrained = self.limit >= self.maximum;
        self.maximum = maximum;
        if unrestrained {
            self.limit = maximum.max(1.0);
            self.ceiling = self.limit;
        }
    }

    pub fn record_success(&mut self, latency: Duration, now: Instant) {
        self.successes += 1;
        let step = if self.limit < self.ceiling { STEP_BELOW } else { STEP_BEYOND };
        if self.successes >= step {
            self.successes = 0;
            self.limit = (self.limit + 1.0).min(self.maximum.max(1.0));
        }
        if self.latencies.show_queueing(latency) {
            self.cut(now, 1.0);
        }
    }

    /// A 429.
    pub fn record_refusal(&mut self, now: Instant) {
        self.cut(now, self.maximum * MIN_PART);
    }

    fn cut(&mut self, now: Instant, floor: f64) {
        if self.last_cut.is_some_and(|cut| now.duration_since(cut) < BURST) {
            return;
        }
        self.last_cut = Some(now);
        self.ceiling = self.limit;
        self.limit = (self.limit * CUT).max(floor).max(1.0).min(self.ceiling);
        self.successes = 0;
    }
}

/// Detects a server that queues calls instead of refusing them: the 90th percentile of the latency passes twice the
/// lowest one seen.
#[derive(Default)]
struct Latencies {
    window: Vec<Duration>,
    baseline: Option<Duration>,
}

const WINDOW: usize = 100;
/// Smaller differences come from the network and this machine, not from a queue.
const NOISE: Duration = Duration::from_secs(2);

impl Latencies {
    fn show_queueing(&mut self, latency: Duration) -> bool {
        self.window.push(latency);
        if self.window.len() < WINDOW {
            return false;
        }
        let (_, p90, _) = self.window.select_nth_unstable(WINDOW * 9 / 10);
        let p90 = *p90;
        self.window.clear();
        let baseline = self.baseline.map_or(p90, |baseline| baseline.min(p90));
        self.baseline = Some(baseline);
        p90 > 2 * baseline && p90 > baseline + NOISE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_refusals_cuts_once_and_successes_win_it_back_up_to_the_ceiling() {
        let start = Instant::now();
        let mut concurrency = AdaptiveLimit::new(256.0);
        for _ in 0..100 {
            concurrency.record_refusal(start);
        }
        assert_eq!(concurrency.limit(), 192);
        for _ in 0..25 * 64 {
            concurrency.record_success(Duration::from_millis(200), start);
        }
        assert_eq!(concurrency.limit(), 256);
    }

    #[test]
    fn refusals_that_go_on_do_not_bring_the_work_to_a_crawl() {
        let mut now = Instant::now();
        let mut concurrency = AdaptiveLimit::new(256.0);
        for _ in 0..100 {
            now += Duration::from_secs(2);
            concurrency.record_refusal(now);
        }
        assert_eq!(concurrency.limit(), 32);
    }

    #[test]
    fn latencies_that_grow_with_the_load_cut_the_load() {
        let now = Instant::now();
        let mut concurrency = AdaptiveLimit::new(64.0);
        for _ in 0..100 {
            concurrency.record_success(Duration::from_secs(2), now);
        }
        assert_eq!(concurrency.limit(), 64);
        for _ in 0..100 {
            concurrency.record_success(Duration::from_secs(9), now);
        }
        assert_eq!(concurrency.limit(), 48);
    }
}
