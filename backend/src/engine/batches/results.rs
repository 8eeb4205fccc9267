//! The results of a batch that has ended: read, stored, and judged as a whole.

use diesel_async::AsyncPgConnection;
use simulation::parameters::Parameters;

use super::fault::{Fault, in_time};
use crate::engine::denial::with_key;
use crate::error::{Error, Result};
use crate::llm::prompt::{Dialect, ModelParameter, Sampling, parameter_refusal};
use crate::llm::{BatchEnd, BatchError, BatchLine, LineKind, Llm, RemoteBatch};
use crate::models::batches::{self, BatchReply, RunBatch, Unanswered};
use crate::models::model_refusals;
use crate::models::simulations::control::PARAMETER_REFUSED;

/// Replies that are stored at once.
const MAX_REPLIES: usize = 500;
/// About how many bytes of replies are stored at once.
const MAX_BYTES: usize = 4 << 20;
/// If the server refuses so many requests of a batch and answers none, the run is at fault.
const MAX_REFUSED: usize = 20;
/// The reply of a call that a batch lost.
const LOST: &str = r#"{"error": {"code": "lost", "message": "the batch's results do not have this request"}}"#;

/// The error code of a run whose batch the server broke off with nothing answered.
const BATCH_FAILED: &str = "batch_failed";

/// Why the run is paused: another batch would fare no better.
pub struct PauseReason {
    pub code: &'static str,
    pub message: String,
}

/// Counts of the lines of a batch's results.
#[derive(Default)]
struct Tally {
    answered: usize,
    failed: usize,
    refused: usize,
    /// The personas whose calls were not asked.
    not_asked: Vec<i32>,
    /// Why every call of the run is refused: a code and a message.
    denied: Option<(&'static str, String)>,
    /// A parameter that the model did not take, and its value.
    parameter: Option<(ModelParameter, String)>,
    /// The server's first complaint.
    said: Option<String>,
}

/// Stores the results of an ended batch, and ends it here too. Returns why the run has to be paused, if it has to. `patient`:
/// results that are not there may appear later.
pub async fn read_results(
    (llm, parameters): (&Llm, &Parameters),
    session: &mut AsyncPgConnection,
    batch: &RunBatch,
    remote: &RemoteBatch,
    patient: bool,
) -> std::result::Result<Option<PauseReason>, Fault> {
    let (mut tally, mut replies, mut bytes) = (Tally::default(), Vec::new(), 0);
    for file in &remote.result_file_ids {
        let take = async |line: String| {
            let Some(BatchLine { persona_id, prompt_hash, kind }) = llm.parse_line(&line, parameters) else {
                return Ok(());
            };
            if tally.count(kind, persona_id, parameters) {
                bytes += line.len();
                replies.push(BatchReply { persona_id, prompt_hash, line });
            }
            if replies.len() >= MAX_REPLIES || bytes >= MAX_BYTES {
                let stored = in_time(batches::store_replies(session, batch, &std::mem::take(&mut replies))).await;
                stored.map_err(|error| error.to_string())?;
                bytes = 0;
            }
            Ok(())
        };
        match llm.read_file(file, take).await {
            Err(BatchError::Reader(error)) => return Err(Error::unavailable(error).into()),
            Err(BatchError::NotThere(reason)) if patient => return Err(Fault::Missing(reason)),
            Err(BatchError::NotThere(reason)) => {
                tracing::warn!(simulation = batch.simulation_id, reason, "a batch's results are gone");
                tally.said.get_or_insert(format!("its results are gone: {reason}"));
            }
            read => read.map_err(Fault::Server)?,
        }
    }
    in_time(batches::store_replies(session, batch, &replies)).await?;
    in_time(batches::release(session, batch, &tally.not_asked)).await?;
    if let Some((parameter, value)) = &tally.parameter {
        let (server, model) = (parameters.server(), &parameters.model);
        in_time(model_refusals::note(session, server, model, parameter.name(), value)).await?;
    }
    let pause = end(session, batch, remote, tally).await?;
    let requests = remote.input_file_id.as_ref().or(batch.input_file_id.as_ref());
    delete_files(llm.clone(), requests.into_iter().chain(&remote.result_file_ids).cloned().collect());
    Ok(pause)
}

/// Ends a batch whose replies are stored. Returns why the run has to be paused, if it has to.
async fn end(
    session: &mut AsyncPgConnection,
    batch: &RunBatch,
    remote: &RemoteBatch,
    tally: Tally,
) -> Result<Option<PauseReason>> {
    let Tally { answered, failed, refused, denied, said, .. } = tally;
    let (simulation, number, status) = (batch.simulation_id, batch.number, remote.status.as_str());
    tracing::info!(simulation, batch = number, answered, failed, refused, status, "a batch ended");
    let said = remote.complaint.clone().or(said).unwrap_or_else(|| "it does not say why".to_owned());
    let is_unanswered = answered + failed + refused == 0;
    let by_us = batch.cancelled_at.is_some();
    let pause = |code, message| Some(PauseReason { code, message });
    let (unanswered, pause) = if let Some((code, message)) = denied {
        (Unanswered::AskAgain, pause(code, message))
    } else if remote.end == Some(BatchEnd::NoRoom) {
        (Unanswered::AskInParts(&said), None)
    } else if remote.end == Some(BatchEnd::Cancelled) && !by_us {
        let message = "the batch was cancelled at the model server, by somebody else: resume the run to ask again";
        (Unanswered::AskAgain, pause(BATCH_FAILED, message.to_owned()))
    } else if is_unanswered && !by_us && remote.end != Some(BatchEnd::Expired) {
        let message = format!("the model server ended the batch as {status} and answered none of its calls: {said}");
        (Unanswered::AskAgain, pause(BATCH_FAILED, message))
    } else if answered == 0 && refused >= MAX_REFUSED {
        (Unanswered::AskAllAgain, pause("rejected", format!("all {refused} calls of a batch were refused: {said}")))
    } else if remote.end == Some(BatchEnd::Completed) {
        (Unanswered::Reply(LOST), None)
    } else {
        (Unanswered::AskAgain, None)
    };
    in_time(batches::end(session, batch, unanswered)).await?;
    Ok(pause)
}

impl Tally {
    /// Returns whether the line is the call's reply.
    fn count(&mut self, kind: LineKind, persona_id: i32, parameters: &Parameters) -> bool {
        match kind {
            LineKind::Answered => self.answered += 1,
            LineKind::Failed => self.failed += 1,
            LineKind::Refused(said) => {
                self.refused += 1;
                self.said.get_or_insert(said);
            }
            LineKind::NotAsked(said) => {
                self.not_asked.push(persona_id);
                self.said.get_or_insert(said);
                return false;
            }
            LineKind::Denied(said) => {
                let message = with_key(parameters, &format!("access denied: {said}"));
                self.denied.get_or_insert(("denied", message));
                return false;
            }
            LineKind::ParameterRefused(parameter, said) => {
                self.parameter =
                    Sampling::new(parameters, Dialect::default(), 0).value(parameter).map(|value| (parameter, value));
                let message = parameter_refusal(parameters, parameter, &format!("The server said: {said}"));
                self.denied.get_or_insert((PARAMETER_REFUSED, message));
                return false;
            }
        }
        true
    }
}

/// Deletes the files of a batch that was read: they hold the personas' texts. A file that stays expires at the server.
pub fn delete_files(llm: Llm, files: Vec<String>) {
    actix::spawn(async move {
        for file in files {
            if let Err(reason) = llm.delete_file(&file).await {
                tracing::debug!(%reason, "a batch's file could not be deleted");
            }
        }
    });
}
