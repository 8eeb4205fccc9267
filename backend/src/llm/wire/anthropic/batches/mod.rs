//! Message Batches: lists of requests, which Anthropic answers within a day at a lower price.
//!
//! A batch has no file and no name of its own. Its requests come with the submission, and each bears the batch's token in its
//! id, by which the batch is found again. Here are the calls; [`remote`] is a batch as Anthropic describes it, and [`lines`]
//! are its requests and results.

mod lines;
mod marker;
mod remote;

use bytes::Bytes;
use chrono::Utc;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

pub use self::lines::{decode_line, parse_line, write_line};
use self::marker::Marker;
use self::remote::MessageBatch;
use super::refusal;
use crate::llm::connection::{CallFailure, Connection};
use crate::llm::outcome::CallError;
use crate::llm::wire::batch::{BatchError, NewBatch, RemoteBatch, bears_token};
use crate::llm::wire::files::{batch_error, read_lines, refused_batch};

/// Whether requests are uploaded as a file.
pub const TAKES_FILES: bool = false;

const PATH: &str = "/v1/messages/batches";
/// Batches on one page of a list.
const PAGE_SIZE: u32 = 100;
/// Pages of a list that are read at most.
const MAX_PAGES: usize = 50;

#[derive(Deserialize)]
struct Page {
    #[serde(default = "Vec::new")]
    data: Vec<MessageBatch>,
    #[serde(default)]
    has_more: bool,
}

/// Returns a marker in place of a file: the batch is about to be submitted.
pub async fn upload(_: &Connection, _name: &str, lines: Bytes) -> Result<String, BatchError> {
    Ok(Marker::new(Utc::now(), &lines).to_string())
}

/// Submits the requests.
pub async fn create(connection: &Connection, batch: NewBatch<'_>) -> Result<RemoteBatch, BatchError> {
    let body = lines::submission(&batch.lines);
    let created: MessageBatch = answer(connection, connection.post_file(PATH).body(body)).await?;
    Ok(created.into())
}

/// The batch with this token, if the server has it. Its results show the token, so a batch of the same size that is still
/// under way may be it: that is an error, and waiting ends it.
pub async fn find(connection: &Connection, file: &str, token: Uuid) -> Result<Option<RemoteBatch>, BatchError> {
    let Ok(marker) = file.parse::<Marker>() else { return Ok(None) };
    let (mut after, mut unknown) = (None, None);
    for _ in 0..MAX_PAGES {
        let from = after.take().map(|id: String| format!("&after_id={id}")).unwrap_or_default();
        let path = format!("{PATH}?limit={PAGE_SIZE}{from}");
        let page: Page = match answer(connection, connection.get(&path)).await {
            Err(BatchError::NotThere(_)) => return Ok(None),
            page => page?,
        };
        for batch in page.data.iter().filter(|batch| marker.may_be(batch)) {
            match batch.has_ended() {
                true if has_token(connection, &batch.id, token).await? => return Ok(Some(batch.clone().into())),
                true => {}
                false => unknown = Some(batch.id.clone()),
            }
        }
        match page.data.last() {
            Some(last) if page.has_more && !marker.is_after(last) => after = Some(last.id.clone()),
            _ => break,
        }
    }
    match unknown {
        Some(id) => Err(BatchError::Call(CallError::transient(
            "batch",
            &format!("{id} may be this batch, which shows when it has ended: nothing is submitted again before"),
        ))),
        None => Ok(None),
    }
}

/// Whether the first result of an ended batch bears this token.
async fn has_token(connection: &Connection, id: &str, token: Uuid) -> Result<bool, BatchError> {
    let mut first = None;
    let read = read_file(connection, id, async |line| {
        first = lines::custom_id_of(&line);
        Err("the first line is enough".to_owned())
    });
    match read.await {
        Ok(()) | Err(BatchError::Reader(_) | BatchError::NotThere(_)) => {}
        Err(error) => return Err(error),
    }
    Ok(first.is_some_and(|custom_id| bears_token(&custom_id, token)))
}

pub async fn get(connection: &Connection, id: &str) -> Result<RemoteBatch, BatchError> {
    let batch: MessageBatch = answer(connection, connection.get(&format!("{PATH}/{id}"))).await?;
    Ok(batch.into())
}

pub async fn cancel(connection: &Connection, id: &str) -> Result<(), BatchError> {
    answer(connection, connection.post(&format!("{PATH}/{id}/cancel"))).await.map(|_: serde_json::Value| ())
}

/// Deletes a batch that has ended, with its results. A marker is no file.
pub async fn delete_file(connection: &Connection, id: &str) -> Result<(), BatchError> {
    if id.parse::<Marker>().is_ok() {
        return Ok(());
    }
    answer(connection, connection.delete(&format!("{PATH}/{id}"))).await.map(|_: serde_json::Value| ())
}

/// Reads the results of the batch with this id.
pub async fn read_file(
    connection: &Connection,
    id: &str,
    each: impl AsyncFnMut(String) -> Result<(), String>,
) -> Result<(), BatchError> {
    let request = connection.get_file(&format!("{PATH}/{id}/results"));
    read_lines(request, each, |refused| refused_batch(connection, &refused, refusal::call_error)).await
}

async fn answer<T: DeserializeOwned>(
    connection: &Connection,
    request: reqwest::RequestBuilder,
) -> Result<T, BatchError> {
    let failed = |failure: CallFailure| batch_error(connection, failure, refusal::call_error);
    connection.read_json(request).await.map_err(failed)
}
