//! How runs stand, for everyone who watches: the database is asked once for all watchers of a run, a few times a second.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::time::Instant;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulations::progress::{self, Counters, Progress};
use crate::models::simulations::reconcile;

/// How long a look is good for.
const FRESH: Duration = Duration::from_millis(250);
/// How long a run agrees with its answers.
const AGREED: Duration = Duration::from_secs(5);
/// What the pace is taken over.
const WINDOW: Duration = Duration::from_secs(10);
/// The least time that a pace can be told from.
const SHORTEST: Duration = Duration::from_millis(900);
/// A run that nobody asked for in so long is forgotten.
const UNWATCHED: Duration = Duration::from_secs(60);

/// A run as one look found it, and the same as JSON, written once for all who are told.
#[derive(Clone, Debug)]
pub struct Seen {
    pub progress: Arc<Progress>,
    pub json: Bytes,
}

/// What this process knows of the runs that are watched.
pub struct Watched {
    runs: Mutex<HashMap<i64, Arc<Run>>>,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Run {
    /// Held while the database is asked: who comes meanwhile waits, and gets the same answer.
    latest: AsyncMutex<Option<Look>>,
    /// When it was last made to agree with its answers; held while that is done.
    refreshed: AsyncMutex<Option<Instant>>,
}

struct Look {
    at: Instant,
    /// The run was changed since.
    stale: bool,
    seen: Seen,
    pace: Pace,
}

impl Default for Watched {
    fn default() -> Self {
        Self { runs: Mutex::default(), closing: watch::Sender::new(false) }
    }
}

impl Watched {
    /// How a run stands, no longer ago than a quarter of a second. `None`: there is no such run.
    pub async fn look(&self, pool: &AsyncPool, run_id: i64) -> Result<Option<Seen>> {
        let run = self.run(run_id);
        let mut latest = run.latest.lock().await;
        if let Some(look) = latest.as_ref().filter(|look| !look.stale && look.at.elapsed() < FRESH) {
            return Ok(Some(look.seen.clone()));
        }
        let Some(counters) = progress::counters(&mut *db::checkout(pool).await?, run_id).await? else {
            return Ok(None);
        };
        let at = Instant::now();
        let mut pace = latest.take().map_or_else(Pace::default, |look| look.pace);
        pace.note(at, &counters);
        let told = Progress::of(&counters, pace.per_second());
        let json = serde_json::to_vec(&told).map_err(|reason| Error::internal(reason.to_string()))?;
        let seen = Seen { progress: Arc::new(told), json: json.into() };
        *latest = Some(Look { at, stale: false, seen: seen.clone(), pace });
        Ok(Some(seen))
    }

    /// Makes the run's state and counters agree with its answers, once in five seconds however many ask for it: that reads all of them.
    pub async fn refresh(&self, pool: &AsyncPool, run_id: i64) -> Result<()> {
        let run = self.run(run_id);
        let mut refreshed = run.refreshed.lock().await;
        if refreshed.is_some_and(|at| at.elapsed() < AGREED) {
            return Ok(());
        }
        reconcile::refresh(&mut *db::checkout(pool).await?, run_id).await?;
        *refreshed = Some(Instant::now());
        if let Some(look) = run.latest.lock().await.as_mut() {
            look.stale = true;
        }
        Ok(())
    }

    /// The run has just been changed by hand: whoever looks next sees that.
    pub fn forget(&self, run_id: i64) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(&run_id);
    }

    /// Lets streams of progress end, since the process is about to.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Ends when [`close`](Self::close) is called.
    pub async fn closed(&self) {
        // An error would say that the sender is gone, which is ours.
        let _ = self.closing.subscribe().wait_for(|closing| *closing).await;
    }

    fn run(&self, run_id: i64) -> Arc<Run> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = runs.get(&run_id) {
            return run.clone();
        }
        runs.retain(|_, run| match run.latest.try_lock() {
            Ok(latest) => latest.as_ref().is_some_and(|look| look.at.elapsed() < UNWATCHED),
            Err(_) => true,
        });
        runs.entry(run_id).or_default().clone()
    }
}

/// Requests a second, from the looks of the last seconds.
#[derive(Default)]
struct Pace {
    /// Of one pass: a retry begins anew.
    attempt: i32,
    looks: VecDeque<(Instant, i32)>,
    /// Since the start of the run, where looks are too few to tell.
    overall: Option<f64>,
}

impl Pace {
    fn note(&mut self, at: Instant, counters: &Counters) {
        if self.attempt != counters.attempt {
            *self = Self { attempt: counters.attempt, ..Self::default() };
        }
        self.looks.push_back((at, counters.done()));
        // One look older than the window stays: the pace is over the whole of it.
        while self.looks.get(1).is_some_and(|(next, _)| at.duration_since(*next) >= WINDOW) {
            self.looks.pop_front();
        }
        let running = counters.started_at.filter(|_| counters.attempt == 1);
        let seconds = running.map(|start| (counters.updated_at - start).as_seconds_f64());
        self.overall = seconds.filter(|seconds| *seconds > 0.0).map(|seconds| f64::from(counters.done()) / seconds);
    }

    fn per_second(&self) -> Option<f64> {
        let (Some((first, before)), Some((last, after))) = (self.looks.front(), self.looks.back()) else {
            return self.overall;
        };
        let time = last.duration_since(*first);
        if time < SHORTEST { self.overall } else { Some(f64::from(after - before) / time.as_secs_f64()) }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{TimeDelta, Utc};
    use uuid::Uuid;

    use super::*;
    use crate::models::simulations::Status;

    fn counters(attempt: i32, done: i32) -> Counters {
        let now = Utc::now();
        Counters {
            simulation_id: Uuid::nil(),
            status: Status::Running,
            survey_status: Status::Running,
            total_requests: 100,
            successful_requests: done,
            failed_requests: 0,
            open_requests: 100 - done,
            in_flight: 4,
            attempt,
            error_message: None,
            waiting_until: None,
            started_at: Some(now - TimeDelta::seconds(10)),
            updated_at: now,
        }
    }

    #[test]
    fn the_pace_is_that_of_the_last_seconds() {
        let mut pace = Pace::default();
        let start = Instant::now();
        pace.note(start, &counters(1, 20));
        assert_eq!(pace.per_second(), Some(2.0), "a single look tells the pace since the start");
        pace.note(start + Duration::from_secs(2), &counters(1, 40));
        assert_eq!(pace.per_second(), Some(10.0));
        pace.note(start + Duration::from_secs(12), &counters(1, 40));
        assert_eq!(pace.per_second(), Some(0.0), "nothing came in the last ten seconds");
        pace.note(start + Duration::from_secs(13), &counters(2, 0));
        assert_eq!(pace.per_second(), None, "a retry begins anew");
    }

    #[test]
    fn a_share_is_never_rounded_up_to_done() {
        let mut nearly = counters(1, 99_999);
        nearly.total_requests = 100_000;
        assert_eq!(Progress::of(&nearly, Some(1.0)).progress_percentage, 99.9);
        assert_eq!(Progress::of(&counters(1, 40), Some(20.0)).eta_seconds, Some(3));
        let mut paused = counters(1, 40);
        paused.status = Status::Paused;
        let told = Progress::of(&paused, Some(20.0));
        assert_eq!((told.requests_per_second, told.eta_seconds, told.in_flight), (None, None, 0));
    }
}
