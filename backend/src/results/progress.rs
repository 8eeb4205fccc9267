//! Progress of simulations, read once for all callers that ask at the same time.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::single_flight::{Freshness, SingleFlight};
use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::models::simulations::progress::{self, Counters, Pace, Progress};
use crate::models::simulations::reconcile;

const MAX_AGE: Freshness = Freshness::YoungerThan(Duration::from_millis(250));
/// Minimum time between reconciliations of a simulation, which read all its answers.
const RECONCILE_INTERVAL: Freshness = Freshness::YoungerThan(Duration::from_secs(5));
/// Time over which the throughput is averaged.
const THROUGHPUT_WINDOW: Duration = Duration::from_secs(10);
/// Minimum time between two readings that give a throughput.
const MIN_MEASURED_TIME: Duration = Duration::from_millis(900);
/// Time after which the readings of a simulation are dropped if nobody asks for it.
const READINGS_LIFETIME: Duration = Duration::from_secs(60);

/// The progress that this process has read lately, by the simulation's row id.
pub struct ProgressCache {
    current: SingleFlight<i64, Option<Arc<Progress>>>,
    reconciled: SingleFlight<i64, ()>,
    throughputs: Mutex<HashMap<i64, Throughput>>,
    closing: watch::Sender<bool>,
}

impl Default for ProgressCache {
    fn default() -> Self {
        Self {
            current: SingleFlight::default(),
            reconciled: SingleFlight::default(),
            throughputs: Mutex::default(),
            closing: watch::Sender::new(false),
        }
    }
}

impl ProgressCache {
    /// Returns progress that is at most a quarter of a second old. `None` if there is no such simulation.
    pub async fn get(&self, pool: &AsyncPool, simulation: i64) -> Result<Option<Arc<Progress>>> {
        let read = async || {
            let counters = async { Ok(progress::counters(&mut *db::checkout(pool).await?, simulation).await?) };
            let counters = db::in_time(counters).await?;
            Ok(counters.map(|counters| Arc::new(Progress::from_counters(&counters, self.pace(simulation, &counters)))))
        };
        self.current.get(simulation, MAX_AGE, read).await
    }

    /// Corrects the simulation's state and counters by its answers, at most once in five seconds.
    pub async fn refresh(&self, pool: &AsyncPool, simulation: i64) -> Result<()> {
        let reconcile = async || {
            db::in_time(async { Ok(reconcile::refresh(&mut *db::checkout(pool).await?, simulation).await?) }).await?;
            self.current.forget(&simulation);
            Ok(())
        };
        self.reconciled.get(simulation, RECONCILE_INTERVAL, reconcile).await
    }

    /// Drops the cached progress after a change by a user, so that the next reading shows it.
    pub fn forget(&self, simulation: i64) {
        self.current.forget(&simulation);
        self.throughputs().remove(&simulation);
    }

    /// Ends all streams of progress, before the process ends.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Waits until [`close`](Self::close) is called.
    pub async fn closed(&self) {
        // Waiting fails only without a sender, which is in `self`.
        let _ = self.closing.subscribe().wait_for(|closing| *closing).await;
    }

    fn pace(&self, simulation: i64, counters: &Counters) -> Option<Pace> {
        let now = Instant::now();
        let mut throughputs = self.throughputs();
        throughputs.retain(|_, throughput| {
            throughput.readings.back().is_some_and(|(at, _)| now.duration_since(*at) < READINGS_LIFETIME)
        });
        let throughput = throughputs.entry(simulation).or_default();
        throughput.add(now, counters);
        throughput.pace()
    }

    fn throughputs(&self) -> MutexGuard<'_, HashMap<i64, Throughput>> {
        self.throughputs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Requests a second, from the readings of the last seconds.
#[derive(Default)]
struct Throughput {
    /// The attempt of the readings. A retry starts anew.
    attempt: i32,
    /// Readings: the time, and the numbers of requests that were settled and closed.
    readings: VecDeque<(Instant, Done)>,
    /// The pace since the start of the simulation, used while the readings are too few.
    overall: Option<Pace>,
}

/// Numbers of requests that were done at a time.
#[derive(Clone, Copy, Default)]
struct Done {
    settled: i32,
    closed: i32,
}

impl Done {
    fn from_counters(counters: &Counters) -> Self {
        Self { settled: counters.settled(), closed: counters.closed() }
    }

    /// The pace of the requests that were done after `before`.
    fn pace_since(self, before: Self, seconds: f64) -> Pace {
        let per_second = |count: i32| f64::from(count) / seconds;
        Pace { settled: per_second(self.settled - before.settled), closed: per_second(self.closed - before.closed) }
    }
}

impl Throughput {
    fn add(&mut self, at: Instant, counters: &Counters) {
        if self.attempt != counters.attempt {
            *self = Self { attempt: counters.attempt, ..Self::default() };
        }
        let done = Done::from_counters(counters);
        self.readings.push_back((at, done));
        // One reading older than the window stays, so that the throughput covers all of it.
        while self.readings.get(1).is_some_and(|(next, _)| at.duration_since(*next) >= THROUGHPUT_WINDOW) {
            self.readings.pop_front();
        }
        let started_at = counters.started_at.filter(|_| counters.attempt == 1);
        let seconds = started_at.map(|start| (counters.updated_at - start).as_seconds_f64());
        self.overall =
            seconds.filter(|seconds| *seconds > 0.0).map(|seconds| done.pace_since(Done::default(), seconds));
    }

    fn pace(&self) -> Option<Pace> {
        let (Some((first, before)), Some((last, after))) = (self.readings.front(), self.readings.back()) else {
            return self.overall;
        };
        let time = last.duration_since(*first);
        if time < MIN_MEASURED_TIME { self.overall } else { Some(after.pace_since(*before, time.as_secs_f64())) }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{TimeDelta, Utc};
    use uuid::Uuid;

    use super::*;
    use simulation::status::Status;

    fn counters(attempt: i32, done: i32) -> Counters {
        let now = Utc::now();
        Counters {
            simulation_id: Uuid::nil(),
            status: Status::Running,
            survey_status: Status::Running,
            total_requests: 100,
            successful_requests: done,
            failed_requests: 0,
            skipped_requests: 0,
            open_requests: 100 - done,
            in_flight: 4,
            attempt,
            error_message: None,
            waiting_until: None,
            waiting_reason: None,
            batch_calls: None,
            batch_done: None,
            started_at: Some(now - TimeDelta::seconds(10)),
            updated_at: now,
        }
    }

    const fn pace(per_second: f64) -> Option<Pace> {
        Some(Pace { settled: per_second, closed: per_second })
    }

    #[test]
    fn the_throughput_is_that_of_the_last_seconds() {
        let mut throughput = Throughput::default();
        let start = Instant::now();
        throughput.add(start, &counters(1, 20));
        assert_eq!(throughput.pace(), pace(2.0), "a single reading gives the throughput since the start");
        throughput.add(start + Duration::from_secs(2), &counters(1, 40));
        assert_eq!(throughput.pace(), pace(10.0));
        throughput.add(start + Duration::from_secs(12), &counters(1, 40));
        assert_eq!(throughput.pace(), pace(0.0), "nothing was done in the last ten seconds");
        throughput.add(start + Duration::from_secs(13), &counters(2, 0));
        assert_eq!(throughput.pace(), None, "a retry starts anew");
    }

    #[test]
    fn a_share_is_never_rounded_up_to_done() {
        let mut nearly = counters(1, 99_999);
        nearly.total_requests = 100_000;
        assert_eq!(Progress::from_counters(&nearly, pace(1.0)).progress_percentage, 99.9);
        assert_eq!(Progress::from_counters(&counters(1, 40), pace(20.0)).eta_seconds, Some(3));
        let mut paused = counters(1, 40);
        paused.status = Status::Paused;
        let shown = Progress::from_counters(&paused, pace(20.0));
        assert_eq!((shown.requests_per_second, shown.eta_seconds, shown.counters.in_flight), (None, None, 0));
    }

    #[test]
    fn skipped_requests_are_no_part_of_what_is_asked() {
        let mut counters = counters(1, 30);
        (counters.failed_requests, counters.skipped_requests, counters.open_requests) = (3, 34, 33);
        let mut throughput = Throughput::default();
        let start = Instant::now();
        throughput.add(start, &counters);
        assert_eq!(Progress::from_counters(&counters, throughput.pace()).progress_percentage, 50.0, "33 of 66");
        (counters.successful_requests, counters.skipped_requests, counters.open_requests) = (40, 44, 13);
        throughput.add(start + Duration::from_secs(2), &counters);
        let shown = Progress::from_counters(&counters, throughput.pace());
        assert_eq!(shown.requests_per_second, Some(5.0), "skipping is no answer");
        assert_eq!(shown.eta_seconds, Some(2), "13 open ones, and ten a second are answered or skipped");
        (counters.successful_requests, counters.skipped_requests, counters.open_requests) = (50, 47, 0);
        counters.status = Status::Failed;
        assert_eq!(Progress::from_counters(&counters, None).progress_percentage, 100.0, "the run has ended");
        (counters.successful_requests, counters.failed_requests, counters.skipped_requests) = (0, 0, 100);
        assert_eq!(Progress::from_counters(&counters, None).progress_percentage, 100.0, "all was skipped");
    }
}
