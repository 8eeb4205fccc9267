//! A quota per minute that holds in every sliding minute, on governor's cells.
//!
//! governor grants `burst + minute / period` cells in a minute. A server that counts a sliding minute would see more
//! than its limit if the burst came on top, so it is part of the quota: `period = minute / (quota - burst + 1)`.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};

/// The part of a minute whose cells stay unused, because calls may get closer together on their way to the server.
const JITTER: Duration = Duration::from_millis(100);
/// The part of the quota that may be used at once.
const BURST: f64 = 0.016;
/// Smaller bursts gain nothing and are left out.
const MIN_BURST: f64 = 20.0;

type Governor<C> = governor::RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// Cells per minute. The balance may be negative: what a call really used is known only after it.
pub struct Quota<C: Clock = DefaultClock> {
    governor: Governor<C>,
    clock: C,
    minute: Duration,
    /// Time in which one cell comes back.
    period: Duration,
    burst: NonZeroU32,
    per_minute: f64,
    /// Cells taken from governor and not used yet, or overdrawn.
    balance: i64,
}

impl<C: Clock + Clone> Quota<C> {
    /// `full`: with the burst to start with. A quota that replaces another starts without, so that a change never
    /// grants cells.
    pub fn new(per_minute: f64, minute: Duration, full: bool, clock: C) -> Self {
        let usable = per_minute * (1.0 - JITTER.div_duration_f64(minute));
        let burst = per_minute * BURST;
        let burst = if burst < MIN_BURST { 1 } else { burst as u32 };
        let period = minute.div_f64((usable - f64::from(burst) + 1.0).max(0.001)).max(Duration::from_nanos(1));
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let rate = governor::Quota::with_period(period)
            .unwrap_or_else(|| governor::Quota::per_minute(NonZeroU32::MIN))
            .allow_burst(burst);
        let governor = governor::RateLimiter::direct_with_clock(rate, clock.clone());
        if !full {
            // A full bucket holds exactly the burst: this empties it.
            let _ = governor.check_n(burst);
        }
        Self { governor, clock, minute, period, burst, per_minute, balance: 0 }
    }

    pub fn per_minute(&self) -> f64 {
        self.per_minute
    }

    /// Changes the rate of the quota; what is overdrawn stays so.
    pub fn at_rate(self, per_minute: f64) -> Self {
        Self { balance: self.balance.min(0), ..Self::new(per_minute, self.minute, false, self.clock) }
    }

    /// Adds what a full quota would have let through in the time `elapsed` since the first of `used` cells, less these,
    /// at most `remaining`. Only for a quota that is new and empty.
    pub fn start_with(&mut self, remaining: u32, used: u32, elapsed: Duration) {
        let since = elapsed.div_duration_f64(self.period) as u32;
        self.balance += i64::from(self.burst.get().saturating_add(since).saturating_sub(used).min(remaining));
    }

    /// Reserves `cells`, which [`Quota::take`] uses. `Err`: how long to wait for more of them.
    pub fn ready(&mut self, cells: u32) -> Result<(), Duration> {
        while self.balance < i64::from(cells) {
            let missing = i64::from(cells) - self.balance;
            let draw = u32::try_from(missing).unwrap_or(u32::MAX).min(self.burst.get());
            let draw = NonZeroU32::new(draw).unwrap_or(NonZeroU32::MIN);
            match self.governor.check_n(draw) {
                Ok(Ok(())) => self.balance += i64::from(draw.get()),
                Ok(Err(not_until)) => return Err(not_until.wait_time_from(self.clock.now())),
                // Cannot happen: a draw is never larger than the burst.
                Err(_) => return Err(Duration::from_secs(1)),
            }
        }
        Ok(())
    }

    /// Uses cells that [`Quota::ready`] reserved.
    pub fn take(&mut self, cells: u32) {
        self.balance -= i64::from(cells);
    }

    /// Corrects the balance after a call that used `actual` cells where `estimated` were taken. Unused cells are given
    /// back up to one burst.
    pub fn correct(&mut self, estimated: u32, actual: u32) {
        let corrected = self.balance + i64::from(estimated) - i64::from(actual);
        self.balance = corrected.min(self.balance.max(i64::from(self.burst.get())));
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Takes single cells for `seconds` as fast as the quota lets them and returns when each went, in milliseconds.
    fn run(per_minute: f64, seconds: u64) -> Vec<u64> {
        let clock = FakeRelativeClock::default();
        let mut quota = Quota::new(per_minute, MINUTE, true, clock.clone());
        let mut taken = Vec::new();
        for millisecond in 0..seconds * 1000 {
            while quota.ready(1).is_ok() {
                quota.take(1);
                taken.push(millisecond);
            }
            clock.advance(Duration::from_millis(1));
        }
        taken
    }

    #[test]
    fn no_sliding_minute_exceeds_the_quota_and_nearly_all_of_it_is_used() {
        for per_minute in [10, 60, 500, 6_000, 60_000] {
            let taken = run(f64::from(per_minute), 300);
            let within_a_minute =
                |(index, start): (usize, &u64)| taken[index..].partition_point(|at| *at < start + 60_000);
            let busiest = taken.iter().enumerate().map(within_a_minute).max();
            assert!(busiest <= Some(per_minute as usize), "{per_minute} a minute: {busiest:?} in one");
            assert!(taken.len() as f64 >= 0.95 * 5.0 * f64::from(per_minute), "{per_minute}: {} used", taken.len());
        }
    }

    #[test]
    fn a_quota_that_is_known_late_lets_through_what_it_would_have_let_through() {
        let clock = FakeRelativeClock::default();
        let started = |remaining, used, elapsed| {
            let mut quota = Quota::new(6_000.0, MINUTE, false, clock.clone());
            quota.start_with(remaining, used, Duration::from_millis(elapsed));
            std::iter::from_fn(|| quota.ready(1).ok().map(|()| quota.take(1))).count()
        };
        assert_eq!(started(6_000, 1, 0), 95, "the burst without the call that was made");
        assert_eq!(started(6_000, 1, 200), 114, "and the cells of .2 s");
        assert_eq!(started(99, 1, 200), 99, "the server says that less remains");
        assert_eq!(started(6_000, 200, 200), 0, "more was used than there was");
    }

    #[test]
    fn a_call_larger_than_the_burst_waits_for_its_cells_and_then_goes() {
        let clock = FakeRelativeClock::default();
        let mut quota = Quota::new(60_000.0, MINUTE, true, clock.clone());
        let mut waited = Duration::ZERO;
        while let Err(wait) = quota.ready(33_000) {
            clock.advance(wait);
            waited += wait;
        }
        assert!((32..34).contains(&waited.as_secs()), "{waited:?}");
    }

    #[test]
    fn what_a_call_used_beyond_its_estimate_is_waited_for_by_the_next() {
        let clock = FakeRelativeClock::default();
        let mut quota = Quota::new(6_000.0, MINUTE, true, clock.clone());
        quota.ready(10).unwrap();
        quota.take(10);
        quota.correct(10, 510);
        let mut waited = Duration::ZERO;
        while let Err(wait) = quota.ready(1) {
            clock.advance(wait);
            waited += wait;
        }
        assert!(waited >= Duration::from_secs(4), "{waited:?}");
    }

    #[test]
    fn a_changed_share_grants_no_second_burst() {
        let clock = FakeRelativeClock::default();
        let mut quota = Quota::new(6_000.0, MINUTE, true, clock);
        while quota.ready(1).is_ok() {
            quota.take(1);
        }
        let mut halved = quota.at_rate(3_000.0);
        assert!(halved.ready(1).is_err());
    }
}
