//! Google's batch mode: files of requests, which it answers within a day at a lower price.
//!
//! Here are its calls; [`remote`] is a batch as Google describes it, [`lines`] the content of its files, and [`upload`] sends
//! those.

mod lines;
mod remote;
mod upload;

use reqwest::RequestBuilder;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

pub use self::lines::{decode_line, parse_line, write_line};
use self::remote::Operation;
pub use self::upload::upload;
use super::names::path_of;
use super::refusal;
use crate::llm::connection::{CallFailure, Connection};
use crate::llm::wire::batch::{BatchError, NewBatch, RemoteBatch};
use crate::llm::wire::files::{batch_error, read_lines, refused_batch};

/// Whether requests are uploaded as a file.
pub const TAKES_FILES: bool = true;

/// Batches on one page of a list.
const PAGE_SIZE: u32 = 100;
/// Pages of a list that are read at most.
const MAX_PAGES: usize = 50;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default = "Vec::new")]
    operations: Vec<Operation>,
    next_page_token: Option<String>,
}

/// Submits the uploaded file. The batch's name is its token.
pub async fn create(connection: &Connection, batch: NewBatch<'_>) -> Result<RemoteBatch, BatchError> {
    let body = json!({"batch": {"displayName": batch.token.to_string(), "inputConfig": {"fileName": batch.file}}});
    let request = connection.post(&path_of(batch.model, "batchGenerateContent")).body(body.to_string());
    let created: Operation = answer(connection, request).await?;
    Ok(created.into())
}

/// The batch with this token, if the server has it.
pub async fn find(connection: &Connection, _file: &str, token: Uuid) -> Result<Option<RemoteBatch>, BatchError> {
    let mut next: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let from = next.take().map(|token| format!("&pageToken={}", encoded(&token))).unwrap_or_default();
        let path = format!("/v1beta/batches?pageSize={PAGE_SIZE}{from}");
        let page: Page = match answer(connection, connection.get(&path)).await {
            Err(BatchError::NotThere(_)) => return Ok(None),
            page => page?,
        };
        if let Some(found) = page.operations.into_iter().find(|batch| batch.is(token)) {
            return Ok(Some(found.into()));
        }
        match page.next_page_token.filter(|token| !token.is_empty()) {
            Some(token) => next = Some(token),
            None => break,
        }
    }
    Ok(None)
}

pub async fn get(connection: &Connection, id: &str) -> Result<RemoteBatch, BatchError> {
    let batch: Operation = answer(connection, connection.get(&format!("/v1beta/{id}"))).await?;
    Ok(batch.into())
}

pub async fn cancel(connection: &Connection, id: &str) -> Result<(), BatchError> {
    answer(connection, connection.post(&format!("/v1beta/{id}:cancel"))).await.map(|_: Value| ())
}

pub async fn delete_file(connection: &Connection, id: &str) -> Result<(), BatchError> {
    answer(connection, connection.delete(&format!("/v1beta/{id}"))).await.map(|_: Value| ())
}

pub async fn read_file(
    connection: &Connection,
    id: &str,
    each: impl AsyncFnMut(String) -> Result<(), String>,
) -> Result<(), BatchError> {
    let request = connection.get_file(&format!("/download/v1beta/{id}:download?alt=media"));
    read_lines(request, each, |refused| refused_batch(connection, &refused, refusal::call_error)).await
}

async fn answer<T: DeserializeOwned>(connection: &Connection, request: RequestBuilder) -> Result<T, BatchError> {
    connection.read_json(request).await.map_err(|failure| error_of(connection, failure))
}

fn error_of(connection: &Connection, failure: CallFailure) -> BatchError {
    batch_error(connection, failure, refusal::call_error)
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
