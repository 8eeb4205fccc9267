//! The server's Batch API: files of requests, which it answers within a day at a lower price.
//!
//! Here are its calls; [`remote`] is a batch as the server tells of it, [`lines`] what stands in its files, and [`download`]
//! reads those.

mod download;
mod lines;
mod remote;
#[cfg(test)]
mod tests;

use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::traits::RequestOptionsBuilder;
use async_openai::types::InputSource;
use async_openai::types::batches::{BatchCompletionWindow, BatchEndpoint, BatchRequest, ListBatchesQuery};
use async_openai::types::files::{CreateFileRequest, FileInput, FilePurpose};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

pub use self::lines::{BatchLine, LineKind, custom_id, write_line};
pub use self::remote::RemoteBatch;
use super::outcome::HttpRefusal;
use super::transport::{RateLimitSlot, http_service};
use super::{CallError, Llm, refusal_of};

/// For the whole upload or download of a file.
pub const FILE_TIMEOUT: Duration = Duration::from_secs(600);
/// Batches on one page of a list, and the most pages that are read.
const PAGE: u32 = 100;
const MAX_PAGES: usize = 50;

/// Why a call of the Batch API failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// 404, 405 or 501: what was asked for is not there, or no such API.
    #[error("{0}")]
    NotThere(String),
    /// More tokens would wait in batches than the account may have there: it says this.
    #[error("{0}")]
    NoRoom(String),
    #[error(transparent)]
    Call(CallError),
    /// The reader did not take the lines.
    #[error("{0}")]
    Reader(String),
}

#[derive(Deserialize)]
struct RemoteFile {
    id: String,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default = "Vec::new")]
    data: Vec<RemoteBatch>,
    #[serde(default)]
    has_more: bool,
}

type OpenAi = Client<std::sync::Arc<dyn Config>>;

impl Llm {
    /// The client whose calls are sent once, with this much time for each.
    fn service(&self, http: &reqwest::Client) -> OpenAi {
        let service = http_service(http.clone(), self.key.is_some(), RateLimitSlot::default());
        self.openai.clone().with_http_service(service)
    }

    /// Uploads the requests of a batch, and returns the file's id.
    pub async fn upload_batch(&self, name: &str, lines: Vec<u8>) -> Result<String, BatchError> {
        let source = InputSource::Bytes { filename: format!("{name}.jsonl"), bytes: Bytes::from(lines) };
        let request =
            CreateFileRequest { file: FileInput { source }, purpose: FilePurpose::Batch, expires_after: None };
        let file: Result<RemoteFile, _> = self.service(&self.files_http).files().create_byot(request).await;
        file.map(|file| file.id).map_err(|error| self.batch_error(error))
    }

    /// Submits the uploaded file.
    pub async fn create_batch(&self, file: &str, token: Uuid, number: i32) -> Result<RemoteBatch, BatchError> {
        let metadata = [(remote::TOKEN, token.to_string()), ("number", number.to_string())];
        let request = BatchRequest {
            input_file_id: file.to_owned(),
            endpoint: BatchEndpoint::V1ChatCompletions,
            completion_window: BatchCompletionWindow::W24H,
            metadata: Some(metadata.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()),
            output_expires_after: None,
        };
        let batch = self.service(&self.http).batches().create_byot(request).await;
        batch.map_err(|error| self.batch_error(error))
    }

    /// The batch of this file or with this token, if the server has it.
    pub async fn find_batch(&self, file: &str, token: Uuid) -> Result<Option<RemoteBatch>, BatchError> {
        let openai = self.service(&self.http);
        let mut after = None;
        for _ in 0..MAX_PAGES {
            let query = ListBatchesQuery { after: after.take(), limit: Some(PAGE) };
            let listing = openai.batches().query(&query).map_err(|error| self.batch_error(error))?;
            let page: Page = match listing.list_byot().await.map_err(|error| self.batch_error(error)) {
                Err(BatchError::NotThere(_)) => return Ok(None),
                page => page?,
            };
            if let Some(found) = page.data.iter().find(|batch| batch.is(file, token)) {
                return Ok(Some(found.clone()));
            }
            match page.data.last() {
                Some(last) if page.has_more => after = Some(last.id.clone()),
                _ => break,
            }
        }
        Ok(None)
    }

    pub async fn batch(&self, id: &str) -> Result<RemoteBatch, BatchError> {
        let batch = self.service(&self.http).batches().retrieve_byot(id).await;
        batch.map_err(|error| self.batch_error(error))
    }

    pub async fn cancel_batch(&self, id: &str) -> Result<(), BatchError> {
        let cancelled: Result<Value, _> = self.service(&self.http).batches().cancel_byot(id).await;
        cancelled.map(drop).map_err(|error| self.batch_error(error))
    }

    pub async fn delete_file(&self, id: &str) -> Result<(), BatchError> {
        let deleted: Result<Value, _> = self.service(&self.http).files().delete_byot(id).await;
        deleted.map(drop).map_err(|error| self.batch_error(error))
    }

    fn batch_error(&self, error: OpenAIError) -> BatchError {
        match refusal_of(error) {
            Ok(refusal) => self.refused_batch(refusal),
            Err(error) => BatchError::Call(error.without_key(self.key.as_deref())),
        }
    }

    fn refused_batch(&self, refusal: HttpRefusal) -> BatchError {
        let is_missing = matches!(refusal.status.as_u16(), 404 | 405 | 501);
        let body: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
        let has_no_room = body.get("error").is_some_and(remote::is_about_room);
        let error = refusal.into_call_error().without_key(self.key.as_deref());
        match error {
            error if is_missing => BatchError::NotThere(error.to_string()),
            error if has_no_room => BatchError::NoRoom(error.to_string()),
            error => BatchError::Call(error),
        }
    }
}
