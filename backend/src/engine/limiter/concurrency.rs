//! How many calls at once: additive increase, multiplicative decrease, below a configured maximum.

use std::time::Duration;

use tokio::time::Instant;

pub struct Concurrency {
    maximum: f64,
    limit: f64,
    /// Where the server refused last time: beyond it the limit grows slowly.
    ceiling: f64,
    successes: u32,
    last_cut: Option<Instant>,
    latencies: Latencies,
}

/// Successes that raise the limit by one, below and beyond the remembered ceiling.
const STEP_BELOW: u32 = 25;
const STEP_BEYOND: u32 = 100;
const CUT: f64 = 0.75;
/// Refusals this soon after a cut belong to the same burst.
const BURST: Duration = Duration::from_secs(1);

impl Concurrency {
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

    /// Our share of the configured maximum changed.
    pub fn set_maximum(&mut self, maximum: f64) {
        let unrestrained = self.limit >= self.maximum;
        self.maximum = maximum;
        if unrestrained {
            self.limit = maximum.max(1.0);
            self.ceiling = self.limit;
        }
    }

    pub fn succeeded(&mut self, latency: Duration, now: Instant) {
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

    /// A 429. `floor`: the limit does not fall below this; refusals that come whatever we do are no reason to crawl.
    pub fn refused(&mut self, now: Instant, at_random: bool) {
        let floor = if at_random { self.maximum / 8.0 } else { 1.0 };
        self.cut(now, floor);
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

/// Notices a server that queues calls instead of refusing them: its 90th percentile passes twice the lowest seen.
#[derive(Default)]
struct Latencies {
    window: Vec<Duration>,
    baseline: Option<Duration>,
}

const WINDOW: usize = 100;
/// Differences below this are the network's and our own machine's, not a queue.
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
        let mut concurrency = Concurrency::new(256.0);
        for _ in 0..100 {
            concurrency.refused(start, false);
        }
        assert_eq!(concurrency.limit(), 192);
        for _ in 0..25 * 64 {
            concurrency.succeeded(Duration::from_millis(200), start);
        }
        assert_eq!(concurrency.limit(), 256);
    }

    #[test]
    fn refusals_at_random_do_not_bring_the_work_to_a_crawl() {
        let mut now = Instant::now();
        let mut concurrency = Concurrency::new(256.0);
        for _ in 0..100 {
            now += Duration::from_secs(2);
            concurrency.refused(now, true);
        }
        assert_eq!(concurrency.limit(), 32);
    }

    #[test]
    fn latencies_that_grow_with_the_load_cut_the_load() {
        let now = Instant::now();
        let mut concurrency = Concurrency::new(64.0);
        for _ in 0..100 {
            concurrency.succeeded(Duration::from_secs(2), now);
        }
        assert_eq!(concurrency.limit(), 64);
        for _ in 0..100 {
            concurrency.succeeded(Duration::from_secs(9), now);
        }
        assert_eq!(concurrency.limit(), 48);
    }
}
