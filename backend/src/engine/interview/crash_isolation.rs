//! Interviews whose calls may be what kills the workers: they are asked alone, and at last not any more.

use std::time::Duration;

use super::call_gate::CallPlace;
use super::call_loop::{Session, interrupted};
use crate::db;
use crate::engine::messages::{Interrupted, RunState};
use crate::models::queue;
use crate::models::settlement::NewFailure;

/// Deliveries in a row that ended during a call. After so many the interview is asked alone: it or a neighbour may be
/// what kills the workers.
const SUSPECT_AFTER: i32 = 3;
/// And after so many, of which the last three were alone, it is what kills them. Two would not do: the same interview is asked
/// first again after a crash, so that workers that are killed often by something else may die twice during its call.
const GUILTY_AFTER: i32 = SUSPECT_AFTER + 3;
/// Between two tries to note a call while the database is away.
const NOTE_RETRY_DELAY: Duration = Duration::from_millis(500);

impl Session {
    /// Fails instead of being asked once more.
    pub(super) fn is_guilty(&self) -> bool {
        self.interview.breaks >= Some(GUILTY_AFTER)
    }

    /// Calls of it have ended with their workers, so it is asked alone until something is stored.
    pub(super) fn is_suspect(&self) -> bool {
        self.interview.breaks >= Some(SUSPECT_AFTER)
    }

    /// Waits for the call's place among the others. Returns whether others may have changed something meanwhile.
    pub(super) async fn place(&mut self) -> Result<(CallPlace, bool), Interrupted> {
        let suspect = self.is_suspect();
        let places = self.interview.contacts.places.clone();
        let mut taking = std::pin::pin!(places.take(suspect));
        if let std::task::Poll::Ready(place) = futures_util::poll!(&mut taking) {
            return Ok((place, false));
        }
        tokio::select! {
            place = taking => Ok((place, true)),
            interrupted = interrupted(&mut self.interview.state, RunState::Paused) => Err(interrupted),
        }
    }

    /// Before a call of an interview that was delivered before: from now on this delivery counts as broken off. Returns
    /// false if the database is away.
    pub(super) async fn note_call(&mut self) -> Result<bool, Interrupted> {
        let Some(breaks) = self.interview.breaks.filter(|_| !self.noted) else { return Ok(true) };
        match self.note_breaks(breaks + 1).await {
            Ok(true) => {
                self.noted = true;
                Ok(true)
            }
            Ok(false) => Err(Interrupted::LeaseLost),
            Err(error) => {
                tracing::warn!(%error, "a call could not be noted, trying again");
                tokio::time::sleep(NOTE_RETRY_DELAY).await;
                Ok(false)
            }
        }
    }

    /// The worker has survived the call of a suspect, which has to be asked again. If the database is away, the delivery
    /// counts: it is not the last one.
    pub(super) async fn acquit(&mut self) {
        let breaks = self.interview.breaks.unwrap_or_default();
        self.noted = self.note_breaks(breaks).await.is_err();
    }

    async fn note_breaks(&self, breaks: i32) -> crate::error::Result<bool> {
        let note = async {
            let mut conn = db::checkout(&self.interview.contacts.pool).await?;
            Ok(queue::note_breaks(&mut conn, self.interview.lease, breaks, self.open).await?)
        };
        db::in_time(note).await
    }

    /// Fails whatever is open, after too many calls that ended with the worker.
    pub(super) async fn give_up(&mut self) -> Result<(), Interrupted> {
        let message = format!("the interview broke off {} times", self.interview.breaks.unwrap_or_default());
        let failure = |question_id: &i64| NewFailure {
            question_id: *question_id,
            code: "poison",
            message: message.clone(),
            detail: None,
            attempts: 0,
        };
        let failures = self.interview.open.iter().map(failure).collect();
        self.report(Vec::new(), failures, true).await?;
        self.booked().await
    }
}
