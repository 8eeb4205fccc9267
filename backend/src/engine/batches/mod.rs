//! The batches of a run that asks through the model server's Batch API: made, submitted, watched and read.
//!
//! One worker at a time polls a run's batches: the one whose session holds the run's advisory lock, which ends with the
//! session. It writes down all that it learns on that session before the next step, so the next worker goes on there. A
//! batch's file is written down before the batch is submitted; a batch that has a file and no id may have been submitted,
//! and is looked for at the server first. So no batch is submitted twice.
//!
//! A run may wait for a day, and many may: each takes a session for a poll, and gives it back until the next one is due.

mod fault;
mod left_over;
mod poller;
mod results;

use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use self::fault::in_time;
pub use self::left_over::{cancel_left_over, cancel_of_runs};
pub use self::poller::BatchContacts;
use self::poller::{BatchPoller, PollSchedule};
use super::interview::interrupted;
use super::messages::RunState;
use crate::db;
use crate::error::{Error, Result};
use crate::models::batches;

/// Polls at once in this process. It bounds sessions, and files in memory.
static POLLS: Semaphore = Semaphore::const_new(4);
/// Opening a session takes some round trips.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Interval between two tries, while another worker polls or the database is away.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// Polls the run's batches whenever it is running and no other worker does.
pub async fn poll_batches(contacts: BatchContacts, mut state: watch::Receiver<RunState>) {
    let mut schedule = PollSchedule::default();
    while state.wait_for(|state| *state == RunState::Running).await.is_ok() {
        tokio::select! {
            () = poll_and_wait(&contacts, &mut schedule) => {}
            _ = interrupted(&mut state, RunState::Paused) => {}
        }
    }
}

/// Polls once, and waits until the next poll is due.
async fn poll_and_wait(contacts: &BatchContacts, schedule: &mut PollSchedule) {
    let wait = poll(contacts, schedule).await.unwrap_or_else(|reason| {
        tracing::warn!(simulation = contacts.run.id, %reason, "could not process the run's batches; retrying");
        RETRY_DELAY
    });
    sleep(wait).await;
}

/// Returns when the next poll is due. Fails only if the database is away.
async fn poll(contacts: &BatchContacts, schedule: &mut PollSchedule) -> Result<Duration> {
    let _permit = POLLS.acquire().await.map_err(|error| Error::internal(error.to_string()))?;
    let late = |_| Error::unavailable("the database does not answer");
    let session = timeout(OPEN_TIMEOUT, db::session(&contacts.database_url)).await.map_err(late)?;
    let mut session = session.map_err(|reason| Error::unavailable(reason.to_string()))?;
    if !in_time(batches::try_lock(&mut session, contacts.run.id)).await? {
        return Ok(RETRY_DELAY);
    }
    BatchPoller { contacts, session, schedule }.poll().await
}
