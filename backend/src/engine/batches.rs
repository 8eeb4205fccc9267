//! The batches of a run that asks through the model server's Batch API: made, submitted, watched and read.
//!
//! Of all workers one attends to a run's batches: the one whose session holds the run's advisory lock, which ends with the
//! session. All that it learns is written down on that session before the next step, so that whoever attends next goes on
//! there. A batch's file is written down before the batch is submitted; where a batch has a file and no id, it may have
//! been submitted, and is looked for at the server first. So none is submitted twice.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use diesel::result::Error as DatabaseError;
use diesel_async::AsyncPgConnection;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::interview::interrupted;
use super::messages::{RunContext, RunState};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::hex::hex;
use crate::llm::prompt::SystemMessage;
use crate::llm::{BatchError, BatchLine, CallError, LineKind, Llm, RemoteBatch, client};
use crate::models::batches::{self, BatchReply, RunBatch, Unanswered};
use crate::models::personas;
use crate::models::simulations::{SimulationRefusal, control};

/// The most requests and bytes of one batch. OpenAI takes as many requests, and larger files.
const MAX_CALLS: i64 = 50_000;
const MAX_BYTES: i64 = 40 << 20;
/// Calls that are read from the database at once, and replies that are stored at once.
const AT_ONCE: usize = 500;
/// Opening a session takes some round trips.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Between two tries to attend.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// The longest wait between two looks at a batch.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Where the server refuses so many requests of a batch and answers none, the fault is the run's.
const MAX_REFUSED: usize = 20;
/// The reply of a call that a batch lost.
const LOST: &str = r#"{"error": {"code": "lost", "message": "the batch's results do not have this request"}}"#;

/// The error code of a run whose batch the server broke off with nothing answered.
const BATCH_FAILED: &str = "batch_failed";

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
    while state.wait_for(|state| *state == RunState::Running).await.is_ok() {
        tokio::select! {
            Err(reason) = attend_once(&contacts) => {
                tracing::warn!(simulation = contacts.run.id, %reason, "the run's batches are out of hand, trying again");
                sleep(RETRY_DELAY).await;
            }
            _ = interrupted(&mut state, RunState::Paused) => {}
        }
    }
}

/// Returns only if the database is away.
async fn attend_once(contacts: &BatchContacts) -> Result<Infallible> {
    let late = |_| Error::unavailable("the database does not answer");
    let session = timeout(OPEN_TIMEOUT, db::session(&contacts.database_url)).await.map_err(late)?;
    let mut session = session.map_err(|reason| Error::unavailable(reason.to_string()))?;
    while !batches::attend(&mut session, contacts.run.id).await? {
        sleep(RETRY_DELAY).await;
    }
    let mut attendant = Attendant { contacts, session, looks: HashMap::new() };
    loop {
        attendant.look().await?;
        sleep(contacts.interval).await;
    }
}

/// When a batch is looked at next.
struct Look {
    at: Instant,
    wait: Duration,
}

struct Attendant<'a> {
    contacts: &'a BatchContacts,
    session: AsyncPgConnection,
    /// By the batch's number.
    looks: HashMap<i32, Look>,
}

/// Why a batch did not go on.
enum Fault {
    Server(BatchError),
    Database(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl From<DatabaseError> for Fault {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error.into())
    }
}

impl From<SimulationRefusal> for Fault {
    fn from(refusal: SimulationRefusal) -> Self {
        Self::Database(refusal.into())
    }
}

/// What the lines of a batch's results tell.
#[derive(Default)]
struct Tally {
    answered: usize,
    failed: usize,
    refused: usize,
    denied: Option<String>,
    /// The first complaint.
    said: Option<String>,
}

impl Attendant<'_> {
    /// Takes every batch one step further, and makes those that are due.
    async fn look(&mut self) -> Result<()> {
        let run = self.contacts.run.id;
        let open = db::in_time(async { Ok(batches::open(&mut self.session, run).await?) }).await?;
        let all_submitted = open.iter().all(|batch| batch.batch_id.is_some());
        for batch in &open {
            self.advance(batch).await?;
        }
        while all_submitted
            && let Some(batch) =
                db::in_time(async { Ok(batches::collect(&mut self.session, run, MAX_CALLS, MAX_BYTES).await?) }).await?
        {
            tracing::info!(simulation = run, batch = batch.number, calls = batch.calls, "sending a batch");
            self.advance(&batch).await?;
        }
        Ok(())
    }

    async fn advance(&mut self, batch: &RunBatch) -> Result<()> {
        let due = self.looks.get(&batch.number).is_none_or(|look| look.at <= Instant::now());
        if !due {
            return Ok(());
        }
        let step = match &batch.batch_id {
            None => self.submit(batch).await,
            Some(id) => self.watch(batch, id).await,
        };
        let first = self.contacts.interval;
        let last = self.looks.get(&batch.number).map(|look| look.wait);
        let mut wait = last.map_or(first, |wait| wait.mul_f64(1.5)).min(MAX_WAIT.max(first));
        match step {
            Ok(()) if batch.batch_id.is_none() => wait = first,
            Ok(()) => {}
            Err(Fault::Server(error)) => wait = wait.max(self.note(batch, error).await?),
            Err(Fault::Database(error)) => return Err(error),
        }
        self.looks.insert(batch.number, Look { at: Instant::now() + wait, wait });
        Ok(())
    }

    /// Uploads and submits a batch, unless that has been done.
    async fn submit(&mut self, batch: &RunBatch) -> Result<(), Fault> {
        let llm = &self.contacts.llm;
        let file = match &batch.input_file_id {
            Some(file) => {
                if let Some(found) = llm.find_batch(file, batch.token).await.map_err(Fault::Server)? {
                    tracing::info!(simulation = batch.simulation_id, batch = batch.number, "found a batch again");
                    return Ok(batches::set_id(&mut self.session, batch, &found.id).await?);
                }
                file.clone()
            }
            None => {
                let lines = self.write(batch).await?;
                let file = llm.upload_batch(&batch.token.to_string(), lines).await.map_err(Fault::Server)?;
                batches::set_file(&mut self.session, batch, Some(&file)).await?;
                file
            }
        };
        match llm.create_batch(&file, batch.token, batch.number).await {
            Ok(remote) => Ok(batches::set_id(&mut self.session, batch, &remote.id).await?),
            // The server has lost the file, e.g. at its own restart.
            Err(BatchError::NotThere(_)) if batch.input_file_id.is_some() => {
                Ok(batches::set_file(&mut self.session, batch, None).await?)
            }
            Err(error) => Err(Fault::Server(error)),
        }
    }

    /// The batch's file.
    async fn write(&mut self, batch: &RunBatch) -> Result<Vec<u8>, Fault> {
        let run = &self.contacts.run;
        let (mut lines, mut last) = (Vec::new(), i32::MIN);
        loop {
            let calls =
                db::in_time(async { Ok(batches::calls(&mut self.session, batch, last, AT_ONCE as i64).await?) })
                    .await?;
            let Some(end) = calls.last() else { return Ok(lines) };
            last = end.persona_id;
            let ids: Vec<i32> = calls.iter().map(|call| call.persona_id).collect();
            let texts = db::in_time(async {
                let variant = run.parameters.persona_variant;
                Ok(personas::texts(&mut self.session, run.persona_set_id, variant, &ids).await?)
            })
            .await?;
            let texts: HashMap<i32, String> = texts.into_iter().collect();
            for call in calls {
                let Some(text) = texts.get(&call.persona_id) else { continue };
                let custom_id = client::custom_id(call.persona_id, &hex(&call.prompt_hash));
                let body = SystemMessage::new(text).body_with(&call.body_rest);
                client::write_line(&mut lines, &custom_id, body).map_err(|error| Error::internal(error.to_string()))?;
            }
        }
    }

    /// Looks how far the server is with a batch, and reads what it brought once it has ended.
    async fn watch(&mut self, batch: &RunBatch, id: &str) -> Result<(), Fault> {
        match self.contacts.llm.batch(id).await {
            Ok(remote) if remote.has_ended() => self.read(batch, &remote).await,
            Ok(remote) => Ok(batches::note_progress(&mut self.session, batch, &remote.status, remote.done()).await?),
            Err(BatchError::NotThere(reason)) => {
                tracing::warn!(simulation = batch.simulation_id, reason, "the server has lost a batch, asking again");
                Ok(batches::end(&mut self.session, batch, Unanswered::AskAgain).await?)
            }
            Err(error) => Err(Fault::Server(error)),
        }
    }

    async fn read(&mut self, batch: &RunBatch, remote: &RemoteBatch) -> Result<(), Fault> {
        let Self { contacts, session, .. } = self;
        let (mut tally, mut replies) = (Tally::default(), Vec::new());
        let dialect = contacts.llm.dialect();
        for file in [&remote.output_file_id, &remote.error_file_id].into_iter().flatten() {
            let take = async |line: String| {
                let Some(BatchLine { persona_id, prompt_hash, kind }) = BatchLine::parse(&line, dialect) else {
                    return Ok(());
                };
                if tally.count(kind) {
                    replies.push(BatchReply { persona_id, prompt_hash, line });
                }
                if replies.len() >= AT_ONCE {
                    let stored = batches::store_replies(session, batch, &std::mem::take(&mut replies)).await;
                    stored.map_err(|error| error.to_string())?;
                }
                Ok(())
            };
            match contacts.llm.read_file(file, take).await {
                Err(BatchError::Reader(error)) => return Err(Error::unavailable(error).into()),
                Err(BatchError::NotThere(reason)) => tracing::warn!(reason, "a batch's results are gone"),
                read => read.map_err(Fault::Server)?,
            }
        }
        batches::store_replies(session, batch, &replies).await?;
        self.end(batch, remote, tally).await?;
        tidy(self.contacts.llm.clone(), remote);
        Ok(())
    }

    /// Ends a batch whose replies are stored, and pauses the run where they show that another one would fare no better.
    async fn end(&mut self, batch: &RunBatch, remote: &RemoteBatch, tally: Tally) -> Result<(), Fault> {
        let Tally { answered, failed, refused, denied, said } = tally;
        let said = remote.complaint().map(str::to_owned).or(said).unwrap_or_else(|| "it does not say why".to_owned());
        let status = &remote.status;
        let (unanswered, pause) = if let Some(denied) = denied {
            (Unanswered::AskAgain, Some(("denied", format!("access denied: {denied}"))))
        } else if answered + failed + refused == 0 && batch.cancelled_at.is_none() {
            let message =
                format!("the model server ended the batch as {status} and answered none of its calls: {said}");
            (Unanswered::AskAgain, Some((BATCH_FAILED, message)))
        } else if answered == 0 && refused >= MAX_REFUSED {
            let message = format!("all {refused} calls of a batch were refused: {said}");
            (Unanswered::AskAllAgain, Some(("rejected", message)))
        } else if remote.is_complete() {
            (Unanswered::Reply(LOST), None)
        } else {
            (Unanswered::AskAgain, None)
        };
        tracing::info!(
            simulation = batch.simulation_id,
            batch = batch.number,
            answered,
            failed,
            refused,
            "a batch ended"
        );
        batches::end(&mut self.session, batch, unanswered).await?;
        match pause {
            Some((code, message)) => self.pause(code, &message).await,
            None => Ok(()),
        }
    }

    async fn pause(&mut self, code: &str, message: &str) -> Result<(), Fault> {
        tracing::warn!(simulation = self.contacts.run.id, reason = message, "pausing the run");
        Ok(control::pause_because(&mut self.session, self.contacts.run.id, code, message).await?)
    }

    /// Notes why a batch does not go on, and pauses the run where waiting does not help. Returns how long the server asks
    /// to wait.
    async fn note(&mut self, batch: &RunBatch, error: BatchError) -> Result<Duration> {
        let message = error.to_string();
        let paused = match &error {
            BatchError::NotThere(_) => {
                let message = format!("the model server has no Batch API ({message}): start the run without batch");
                self.pause(control::NO_BATCH_API, &message).await
            }
            BatchError::Call(CallError::Denied { .. }) => self.pause("denied", &message).await,
            BatchError::Call(CallError::Rejected { .. }) => {
                self.pause("rejected", &format!("the model server refuses the batch: {message}")).await
            }
            BatchError::Call(_) | BatchError::Reader(_) => {
                tracing::warn!(
                    simulation = batch.simulation_id,
                    batch = batch.number,
                    reason = message,
                    "a batch has to wait"
                );
                Ok(batches::note_trouble(&mut self.session, batch, &message).await?)
            }
        };
        match (paused, error) {
            (Err(Fault::Database(error)), _) => Err(error),
            (
                _,
                BatchError::Call(CallError::RateLimited { retry_after, .. } | CallError::Transient { retry_after, .. }),
            ) => Ok(retry_after.unwrap_or_default()),
            _ => Ok(Duration::ZERO),
        }
    }
}

impl Tally {
    /// Returns whether the line is the call's reply.
    fn count(&mut self, kind: LineKind) -> bool {
        match kind {
            LineKind::Answered => self.answered += 1,
            LineKind::Failed => self.failed += 1,
            LineKind::Refused(said) => {
                self.refused += 1;
                self.said.get_or_insert(said);
            }
            LineKind::NotAsked(said) => {
                self.said.get_or_insert(said);
                return false;
            }
            LineKind::Denied(said) => {
                self.denied.get_or_insert(said);
                return false;
            }
        }
        true
    }
}

/// Deletes the files of a batch that was read: they hold the twins' texts. A file that stays expires at the server.
fn tidy(llm: Llm, remote: &RemoteBatch) {
    let files = [&remote.input_file_id, &remote.output_file_id, &remote.error_file_id];
    let files: Vec<String> = files.into_iter().flatten().cloned().collect();
    actix::spawn(async move {
        for file in files {
            if let Err(reason) = llm.delete_file(&file).await {
                tracing::debug!(%reason, "a batch's file could not be deleted");
            }
        }
    });
}

/// Cancels the batches of runs that are over. `chosen`: of these runs alone. What such a batch brought is read if its run
/// is continued.
pub async fn cancel_left_over(pool: &AsyncPool, llm: &Llm, chosen: Option<&HashSet<i64>>) -> Result<()> {
    let mut conn = db::checkout(pool).await?;
    let left_over = batches::left_over(&mut conn).await?;
    for batch in left_over.iter().filter(|batch| chosen.is_none_or(|chosen| chosen.contains(&batch.simulation_id))) {
        let id = match (&batch.batch_id, &batch.input_file_id) {
            (Some(id), _) => Some(id.clone()),
            (None, Some(file)) => match llm.find_batch(file, batch.token).await {
                Ok(found) => found.map(|found| found.id),
                Err(_) => continue,
            },
            (None, None) => None,
        };
        if let Some(id) = &id {
            if batch.batch_id.is_none() {
                batches::set_id(&mut conn, batch, id).await?;
            }
            match llm.cancel_batch(id).await {
                // It is over, or gone.
                Ok(()) | Err(BatchError::NotThere(_) | BatchError::Call(CallError::Rejected { .. })) => {}
                Err(BatchError::Call(CallError::Transient { code: "conflict", .. })) => {}
                Err(reason) => {
                    tracing::warn!(simulation = batch.simulation_id, %reason, "a batch could not be cancelled");
                    continue;
                }
            }
        }
        batches::note_cancelled(&mut conn, batch).await?;
    }
    Ok(())
}
