//! One poll of a run's batches: each that is due is taken a step further, and new ones are made.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use diesel_async::AsyncPgConnection;
use survey::hex::hex;
use tokio::time::Instant;

use super::fault::{Fault, in_time};
use super::results::{PauseReason, delete_files, read_results};
use crate::engine::denial::with_key;
use crate::engine::messages::RunContext;
use crate::error::{Error, Result};
use crate::llm::prompt::{SystemMessage, parameter_refusal};
use crate::llm::wire::{NewBatch, custom_id};
use crate::llm::{BatchError, CallError, Llm};
use crate::models::batches::{self, BatchSize, RunBatch, Unanswered};
use crate::models::personas;
use crate::models::simulations::control;

/// Size limit of one batch. OpenAI takes as many requests, and files of 200 MB, but the file is in memory while it is sent.
const MAX_SIZE: BatchSize = BatchSize { calls: 50_000, bytes: 40 << 20 };
/// Calls that are read from the database at once.
const MAX_CALLS_READ: i64 = 500;
/// The longest wait between two polls of a batch.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// The server's own copies may lag behind: what it does not know at so many polls in a row is gone.
const MAX_MISSED: u32 = 5;

/// Connections and settings for polling a run's batches.
pub struct BatchContacts {
    pub run: Arc<RunContext>,
    pub llm: Llm,
    pub database_url: Arc<str>,
    /// Time between two polls of the run, and until the first poll of a batch.
    pub interval: Duration,
}

/// When each of the run's batches is polled next, by its number.
pub type PollSchedule = HashMap<i32, NextPoll>;

#[derive(Debug)]
pub struct NextPoll {
    at: Instant,
    wait: Duration,
    /// Polls in a row at which the server did not know the batch, or its results.
    missed: u32,
}

/// Polls a run's batches on the session that holds the run's lock.
pub struct BatchPoller<'a> {
    pub contacts: &'a BatchContacts,
    pub session: AsyncPgConnection,
    pub schedule: &'a mut PollSchedule,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchStep {
    /// The batch was taken further.
    Taken,
    /// The batch waits for the server.
    Waits,
}

impl BatchPoller<'_> {
    /// Takes every batch that is due one step further, and makes new ones. Returns the time until the next poll.
    pub async fn poll(mut self) -> Result<Duration> {
        let (run, interval) = (self.contacts.run.id, self.contacts.interval);
        let open = in_time(batches::open(&mut self.session, run)).await?;
        self.schedule.retain(|number, _| open.iter().any(|batch| batch.number == *number));
        let mut steps = Vec::new();
        for batch in &open {
            steps.push(self.advance(batch).await?);
        }
        // One after the other: where one cannot be submitted, the others cannot either.
        let mut is_next = open.iter().all(|batch| batch.batch_id.is_some());
        while is_next && let Some(batch) = in_time(batches::collect(&mut self.session, run, MAX_SIZE, interval)).await?
        {
            tracing::info!(simulation = run, batch = batch.number, calls = batch.calls, "sending a batch");
            let step = self.advance(&batch).await?;
            is_next = step == BatchStep::Taken;
            steps.push(step);
        }
        // Interviews go on after a batch, and make the next one due.
        if steps.is_empty() || steps.contains(&BatchStep::Taken) {
            return Ok(interval);
        }
        let next = self.schedule.values().map(|next| next.at).min();
        let wait = next.map_or(interval, |next| next.saturating_duration_since(Instant::now()));
        Ok(wait.clamp(interval.min(MAX_WAIT), MAX_WAIT.max(interval)))
    }

    async fn advance(&mut self, batch: &RunBatch) -> Result<BatchStep> {
        let known = self.schedule.get(&batch.number);
        if known.is_some_and(|known| known.at > Instant::now()) {
            return Ok(BatchStep::Waits);
        }
        let (last, missed) = (known.map(|known| known.wait), known.map_or(0, |known| known.missed));
        let step = match &batch.batch_id {
            None => self.submit(batch).await,
            Some(id) => self.watch(batch, id, missed + 1 < MAX_MISSED).await,
        };
        let first = self.contacts.interval;
        let mut wait = last.map_or(first, |wait| wait.mul_f64(1.5)).min(MAX_WAIT.max(first));
        let (step, missed) = match step {
            Ok(step) => (step, 0),
            Err(Fault::Missing(reason)) => {
                let (simulation, number) = (batch.simulation_id, batch.number);
                tracing::warn!(simulation, batch = number, reason, "the server does not know a batch");
                in_time(batches::note_trouble(&mut self.session, batch, &reason)).await?;
                (BatchStep::Waits, missed + 1)
            }
            Err(Fault::Server(error)) => {
                wait = wait.max(self.note(batch, error).await?);
                (BatchStep::Waits, missed)
            }
            Err(Fault::Database(error)) => return Err(error),
        };
        if step == BatchStep::Taken {
            wait = first;
        }
        self.schedule.insert(batch.number, NextPoll { at: Instant::now() + wait, wait, missed });
        Ok(step)
    }

    /// Uploads and submits a batch, unless that has been done.
    async fn submit(&mut self, batch: &RunBatch) -> Result<BatchStep, Fault> {
        let BatchContacts { run, llm, .. } = self.contacts;
        let parameters = &run.parameters;
        if let Some((parameter, why)) = llm.unsupported(parameters).into_iter().next().filter(|_| !parameters.lenient) {
            self.pause(control::PARAMETER_REFUSED, &parameter_refusal(parameters, parameter, &why)).await?;
            return Ok(BatchStep::Waits);
        }
        let mut written = None;
        let file = match &batch.input_file_id {
            Some(file) => {
                if let Some(found) = llm.find_batch(file, batch.token).await.map_err(Fault::Server)? {
                    tracing::info!(simulation = batch.simulation_id, batch = batch.number, "found a batch again");
                    in_time(batches::set_id(&mut self.session, batch, &found.id)).await?;
                    return Ok(BatchStep::Taken);
                }
                file.clone()
            }
            None => {
                let lines = written.insert(self.write(batch).await?).clone();
                let file = llm.upload_batch(&batch.token.to_string(), lines).await.map_err(Fault::Server)?;
                in_time(batches::set_file(&mut self.session, batch, Some(&file))).await?;
                file
            }
        };
        let lines = match written {
            Some(lines) => lines,
            None if llm.takes_files() => Bytes::new(),
            None => self.write(batch).await?,
        };
        let (model, token, number) = (parameters.model.as_str(), batch.token, batch.number);
        match llm.create_batch(NewBatch { model, file: &file, lines, token, number }).await {
            Ok(remote) => in_time(batches::set_id(&mut self.session, batch, &remote.id)).await?,
            Err(BatchError::NoRoom(said)) => {
                in_time(batches::end(&mut self.session, batch, Unanswered::AskInParts(&said))).await?;
                delete_files(llm.clone(), vec![file]);
            }
            // The server has lost the file, e.g. at its own restart.
            Err(BatchError::NotThere(_)) if batch.input_file_id.is_some() => {
                in_time(batches::set_file(&mut self.session, batch, None)).await?;
            }
            Err(error) => return Err(Fault::Server(error)),
        }
        Ok(BatchStep::Taken)
    }

    /// The requests of a batch, one on each line.
    async fn write(&mut self, batch: &RunBatch) -> Result<Bytes, Fault> {
        let BatchContacts { run, llm, .. } = self.contacts;
        let (mut lines, mut last) = (Vec::new(), i32::MIN);
        loop {
            let calls = in_time(batches::calls(&mut self.session, batch, last, MAX_CALLS_READ)).await?;
            let Some(end) = calls.last() else { return Ok(lines.into()) };
            last = end.persona_id;
            let ids: Vec<i32> = calls.iter().map(|call| call.persona_id).collect();
            let variant = run.parameters.persona_variant;
            let texts = in_time(personas::texts(&mut self.session, run.persona_set_id, variant, &ids)).await?;
            let texts: HashMap<i32, String> = texts.into_iter().collect();
            for call in calls {
                let Some(text) = texts.get(&call.persona_id) else { continue };
                let name = custom_id(call.persona_id, &hex(&call.prompt_hash), batch.token);
                let body = llm.open(&SystemMessage::of_run(text, &run.parameters)).body_with(&call.body_rest);
                llm.write_line(&mut lines, &name, body).map_err(|error| Error::internal(error.to_string()))?;
            }
        }
    }

    /// Asks the server how far it is with a batch, and reads the results once it has ended. `patient`: what the server
    /// does not know may appear later.
    async fn watch(&mut self, batch: &RunBatch, id: &str, patient: bool) -> Result<BatchStep, Fault> {
        match self.contacts.llm.batch(id).await {
            Ok(remote) if remote.end.is_some() => {
                let Self { contacts, session, .. } = self;
                if let Some(PauseReason { code, message }) =
                    read_results((&contacts.llm, &contacts.run.parameters), session, batch, &remote, patient).await?
                {
                    self.pause(code, &message).await?;
                }
                Ok(BatchStep::Taken)
            }
            Ok(remote) => {
                in_time(batches::note_progress(&mut self.session, batch, &remote.status, remote.done)).await?;
                Ok(BatchStep::Waits)
            }
            Err(BatchError::NotThere(reason)) if patient => Err(Fault::Missing(reason)),
            Err(BatchError::NotThere(reason)) => {
                tracing::warn!(simulation = batch.simulation_id, reason, "the server has lost a batch, asking again");
                in_time(batches::end(&mut self.session, batch, Unanswered::AskAgain)).await?;
                Ok(BatchStep::Taken)
            }
            Err(error) => Err(Fault::Server(error)),
        }
    }

    async fn pause(&mut self, code: &str, message: &str) -> Result<()> {
        tracing::warn!(simulation = self.contacts.run.id, reason = message, "pausing the run");
        in_time(control::pause_because(&mut self.session, self.contacts.run.id, code, message)).await
    }

    /// Notes why a batch does not go on, and pauses the run if waiting does not help. Returns how long the server asks to
    /// wait.
    async fn note(&mut self, batch: &RunBatch, error: BatchError) -> Result<Duration> {
        let message = error.to_string();
        match &error {
            BatchError::NotThere(_) => {
                let message = format!("the model server has no Batch API ({message}): start the run without batch");
                self.pause(control::NO_BATCH_API, &message).await?;
            }
            BatchError::Call(CallError::Denied { .. }) => {
                let message = with_key(&self.contacts.run.parameters, &message);
                self.pause("denied", &message).await?;
            }
            BatchError::Call(CallError::Rejected { .. }) => {
                self.pause("rejected", &format!("the model server refuses the batch: {message}")).await?;
            }
            BatchError::Call(_) | BatchError::NoRoom(_) | BatchError::Reader(_) => {
                let simulation = batch.simulation_id;
                tracing::warn!(simulation, batch = batch.number, reason = message, "a batch has to wait");
                in_time(batches::note_trouble(&mut self.session, batch, &message)).await?;
            }
        }
        Ok(match error {
            BatchError::Call(CallError::RateLimited { retry_after, .. } | CallError::Transient { retry_after, .. }) => {
                retry_after.unwrap_or_default()
            }
            _ => Duration::ZERO,
        })
    }
}
