//! The batches of a run that asks through the model server's Batch API: made, submitted, watched and read.
//!
//! Of all workers one at a time attends to a run's batches: the one whose session holds the run's advisory lock, which ends
//! with the session. All that it learns is written down on that session before the next step, so that whoever attends next
//! goes on there. A batch's file is written down before the batch is submitted; where a batch has a file and no id, it may
//! have been submitted, and is looked for at the server first. So none is submitted twice.
//!
//! A run may wait for a day, and many may: each takes a session for a look, and gives it back until the next one is due.

mod left_over;
mod poller;
mod results;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

pub use self::left_over::{cancel_left_over, cancel_of_runs};
use self::poller::{Attendant, Looks};
use super::interview::interrupted;
use super::messages::{RunContext, RunState};
use crate::db;
use crate::error::{Error, Result};
use crate::llm::Llm;
use crate::models::batches;

/// Looks at once in this process. It bounds sessions, and files in memory.
static LOOKS: Semaphore = Semaphore::const_new(4);
/// Opening a session takes some round trips.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Between two tries to attend.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// What it takes to attend to a run's batches.
pub struct BatchContacts {
    pub run: Arc<RunContext>,
    pub llm: Llm,
    pub database_url: Arc<str>,
    /// Between two looks at the run, and until the first look at a batch.
    pub interval: Duration,
}

/// Attends to the run's batches whenever it is running and no other worker does.
pub async fn attend(contacts: BatchContacts, mut state: watch::Receiver<RunState>) {
    let mut looks = Looks::default();
    while state.wait_for(|state| *state == RunState::Running).await.is_ok() {
        tokio::select! {
            () = attend_once(&contacts, &mut looks) => {}
            _ = interrupted(&mut state, RunState::Paused) => {}
        }
    }
}

/// Takes one look, and waits until the next one is due.
async fn attend_once(contacts: &BatchContacts, looks: &mut Looks) {
    let wait = look(contacts, looks).await.unwrap_or_else(|reason| {
        tracing::warn!(simulation = contacts.run.id, %reason, "the run's batches are out of hand, trying again");
        RETRY_DELAY
    });
    sleep(wait).await;
}

/// Returns when the next look is due. Fails only if the database is away.
async fn look(contacts: &BatchContacts, looks: &mut Looks) -> Result<Duration> {
    let _permit = LOOKS.acquire().await.map_err(|error| Error::internal(error.to_string()))?;
    let late = |_| Error::unavailable("the database does not answer");
    let session = timeout(OPEN_TIMEOUT, db::session(&contacts.database_url)).await.map_err(late)?;
    let mut session = session.map_err(|reason| Error::unavailable(reason.to_string()))?;
    if !in_time(batches::attend(&mut session, contacts.run.id)).await? {
        return Ok(RETRY_DELAY);
    }
    Attendant { contacts, session, looks }.look().await
}

/// A step in the database: a connection may fall silent for ever.
async fn in_time<T, E>(step: impl Future<Output = std::result::Result<T, E>>) -> Result<T>
where
    Error: From<E>,
{
    db::in_time(async { Ok(step.await?) }).await
}
