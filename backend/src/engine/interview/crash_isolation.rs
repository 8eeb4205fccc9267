//! Isolates an interview whose calls may kill the workers: it is asked alone, and at last it fails.
//!
//! Its message in the queue counts the deliveries in a row that ended during a call. The count is raised before a call,
//! while the worker still lives, and reset once the worker has survived it.

use std::task::Poll;
use std::time::Duration;

use super::call_gate::{CallGate, CallSlot};
use super::run_watch::RunWatch;
use crate::db::{self, AsyncPool};
use crate::engine::messages::Interrupted;
use crate::models::queue::{self, Lease};
use crate::models::settlement::NewFailure;

/// Crashes after which the interview is asked alone: it or another one in the same worker may be the cause.
const ISOLATE_AFTER_CRASHES: i32 = 3;
/// Crashes after which the interview fails. It was alone at the last three. Two would not do: the same interview is asked
/// first again after a crash, so workers that something else kills often may die twice during its call.
const FAIL_AFTER_CRASHES: i32 = ISOLATE_AFTER_CRASHES + 3;
/// Interval between two tries to note a call while the database is away.
const NOTE_RETRY_DELAY: Duration = Duration::from_millis(500);

/// How often the deliveries of one interview ended during a call.
pub struct CrashIsolation {
    lease: Lease,
    /// Deliveries in a row that ended during a call with nothing stored since; `None`: this is the first delivery.
    breaks: Option<i32>,
    /// Requests that were open at the claim.
    open: usize,
    /// The message in the queue counts this delivery: it did end during a call if the worker dies from now on.
    noted: bool,
}

impl CrashIsolation {
    pub fn new(lease: Lease, breaks: Option<i32>, open: usize) -> Self {
        Self { lease, breaks, open, noted: false }
    }

    /// Whether the interview's calls are what kills the workers: it fails instead of being asked once more.
    pub fn is_poison(&self) -> bool {
        self.breaks >= Some(FAIL_AFTER_CRASHES)
    }

    /// Whether the interview's calls may be what kills the workers: it is asked alone until something is stored.
    pub fn is_suspect(&self) -> bool {
        self.breaks >= Some(ISOLATE_AFTER_CRASHES)
    }

    /// Waits for the slot of the next call. Also returns whether it had to wait: then the permit may be out of date.
    pub async fn acquire_slot(&self, gate: &CallGate, watch: &mut RunWatch) -> Result<(CallSlot, bool), Interrupted> {
        let mut acquiring = std::pin::pin!(gate.acquire(self.is_suspect()));
        if let Poll::Ready(slot) = futures_util::poll!(&mut acquiring) {
            return Ok((slot, false));
        }
        Ok((watch.unless_paused(acquiring).await?, true))
    }

    /// Before a call of an interview that was delivered before: from now on this delivery counts as ended during a call.
    /// Returns false if the database is away.
    pub async fn note_call(&mut self, pool: &AsyncPool) -> Result<bool, Interrupted> {
        let Some(breaks) = self.breaks.filter(|_| !self.noted) else { return Ok(true) };
        match self.note_breaks(pool, breaks + 1).await {
            Ok(true) => {
                self.noted = true;
                Ok(true)
            }
            Ok(false) => Err(Interrupted::LeaseLost),
            Err(error) => {
                tracing::warn!(%error, "could not note that a call begins; retrying");
                tokio::time::sleep(NOTE_RETRY_DELAY).await;
                Ok(false)
            }
        }
    }

    /// The worker has survived a call that has to be made again. If the database is away, the delivery still counts: it is
    /// not the last one.
    pub async fn reset_crash_count(&mut self, pool: &AsyncPool) {
        let breaks = self.breaks.unwrap_or_default();
        self.noted = self.note_breaks(pool, breaks).await.is_err();
    }

    /// Something is stored: the interview is like others from now on.
    pub fn clear(&mut self) {
        self.breaks = None;
    }

    /// The failures of the questions that are still open in a poisonous interview.
    pub fn failures(&self, open: &[i64]) -> Vec<NewFailure> {
        let message = format!("the interview broke off {} times", self.breaks.unwrap_or_default());
        let failure = |question_id: &i64| NewFailure {
            question_id: *question_id,
            code: "poison",
            message: message.clone(),
            detail: None,
            attempts: 0,
        };
        open.iter().map(failure).collect()
    }

    async fn note_breaks(&self, pool: &AsyncPool, breaks: i32) -> crate::error::Result<bool> {
        let note = async {
            let mut conn = db::checkout(pool).await?;
            Ok(queue::note_breaks(&mut conn, self.lease, breaks, self.open).await?)
        };
        db::in_time(note).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(breaks: Option<i32>) -> CrashIsolation {
        CrashIsolation::new(Lease { msg_id: 1, read_ct: 1 }, breaks, 2)
    }

    #[test]
    fn an_interview_is_isolated_after_three_crashes_and_fails_after_three_alone() {
        let states = [None, Some(0), Some(2), Some(3), Some(5), Some(6)].map(|breaks| {
            let isolation = after(breaks);
            (isolation.is_suspect(), isolation.is_poison())
        });
        let (free, isolated, failed) = ((false, false), (true, false), (true, true));
        assert_eq!(states, [free, free, free, isolated, isolated, failed]);
    }

    #[test]
    fn an_interview_that_stored_something_is_isolated_no_more() {
        let mut isolation = after(Some(5));
        isolation.clear();
        assert!(!isolation.is_suspect());
    }

    #[test]
    fn the_failures_of_a_poisonous_interview_say_how_often_it_broke_off() {
        let failures = after(Some(6)).failures(&[4, 9]);
        let messages: Vec<_> = failures.iter().map(|failure| (failure.question_id, failure.message.as_str())).collect();
        assert_eq!(messages, [(4, "the interview broke off 6 times"), (9, "the interview broke off 6 times")]);
    }
}
