//! The server's Batch API: files of requests, which it answers within a day at a lower price.
//!
//! Here are its calls; [`remote`] is a batch as the server describes it, and [`lines`] the content of its files.

mod lines;
mod remote;
#[cfg(test)]
mod tests;

use async_openai::error::OpenAIError;
use async_openai::traits::RequestOptionsBuilder;
use async_openai::types::InputSource;
use async_openai::types::batches::{BatchCompletionWindow, BatchEndpoint, BatchRequest, ListBatchesQuery};
use async_openai::types::files::{CreateFileRequest, FileInput, FilePurpose};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

pub use self::lines::{decode_line, parse_line, write_line};
use self::remote::ListedBatch;
use super::refusal;
use crate::llm::connection::{Connection, HeaderSlot, OpenAi};
use crate::llm::wire::batch::{BatchError, NewBatch, RemoteBatch};
use crate::llm::wire::files::{batch_error, read_lines, refused_batch};

/// Whether requests are uploaded as a file.
pub const TAKES_FILES: bool = true;

/// Batches on one page of a list.
const PAGE_SIZE: u32 = 100;
/// Pages of a list that are read at most.
const MAX_PAGES: usize = 50;

#[derive(Deserialize)]
struct RemoteFile {
    id: String,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default = "Vec::new")]
    data: Vec<ListedBatch>,
    #[serde(default)]
    has_more: bool,
}

fn openai(connection: &Connection) -> OpenAi {
    connection.openai(HeaderSlot::default())
}

/// The result of a call of the Batch API.
fn classify<T>(connection: &Connection, result: Result<T, OpenAIError>) -> Result<T, BatchError> {
    result.map_err(|error| batch_error(connection, error.into(), refusal::call_error))
}

/// Uploads the requests of a batch, and returns the file's id.
pub async fn upload(connection: &Connection, name: &str, lines: Bytes) -> Result<String, BatchError> {
    let source = InputSource::Bytes { filename: format!("{name}.jsonl"), bytes: lines };
    let request = CreateFileRequest { file: FileInput { source }, purpose: FilePurpose::Batch, expires_after: None };
    let file: Result<RemoteFile, _> = connection.openai_for_files().files().create_byot(request).await;
    classify(connection, file.map(|file| file.id))
}

/// Submits the uploaded file.
pub async fn create(connection: &Connection, batch: NewBatch<'_>) -> Result<RemoteBatch, BatchError> {
    let NewBatch { file, token, number, .. } = batch;
    let metadata = [(remote::TOKEN, token.to_string()), ("number", number.to_string())];
    let request = BatchRequest {
        input_file_id: file.to_owned(),
        endpoint: BatchEndpoint::V1ChatCompletions,
        completion_window: BatchCompletionWindow::W24H,
        metadata: Some(metadata.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()),
        output_expires_after: None,
    };
    let created: Result<ListedBatch, _> = openai(connection).batches().create_byot(request).await;
    classify(connection, created).map(RemoteBatch::from)
}

/// The batch of this file or with this token, if the server has it.
pub async fn find(connection: &Connection, file: &str, token: Uuid) -> Result<Option<RemoteBatch>, BatchError> {
    let openai = openai(connection);
    let mut after = None;
    for _ in 0..MAX_PAGES {
        let query = ListBatchesQuery { after: after.take(), limit: Some(PAGE_SIZE) };
        let listing = classify(connection, openai.batches().query(&query))?;
        let page: Page = match classify(connection, listing.list_byot().await) {
            Err(BatchError::NotThere(_)) => return Ok(None),
            page => page?,
        };
        if let Some(found) = page.data.iter().find(|batch| batch.is(file, token)) {
            return Ok(Some(found.clone().into()));
        }
        match page.data.last() {
            Some(last) if page.has_more => after = Some(last.id.clone()),
            _ => break,
        }
    }
    Ok(None)
}

pub async fn get(connection: &Connection, id: &str) -> Result<RemoteBatch, BatchError> {
    let batch: Result<ListedBatch, _> = openai(connection).batches().retrieve_byot(id).await;
    classify(connection, batch).map(RemoteBatch::from)
}

pub async fn cancel(connection: &Connection, id: &str) -> Result<(), BatchError> {
    let cancelled: Result<Value, _> = openai(connection).batches().cancel_byot(id).await;
    classify(connection, cancelled.map(drop))
}

pub async fn delete_file(connection: &Connection, id: &str) -> Result<(), BatchError> {
    let deleted: Result<Value, _> = openai(connection).files().delete_byot(id).await;
    classify(connection, deleted.map(drop))
}

/// Reads a file line by line.
pub async fn read_file(
    connection: &Connection,
    id: &str,
    each: impl AsyncFnMut(String) -> Result<(), String>,
) -> Result<(), BatchError> {
    let request = connection.get_file(&format!("/files/{id}/content"));
    read_lines(request, each, |refused| refused_batch(connection, &refused, refusal::call_error)).await
}
