//! The server's Batch API: files of requests, which it answers within a day at a lower price.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::traits::RequestOptionsBuilder;
use async_openai::types::InputSource;
use async_openai::types::batches::{BatchCompletionWindow, BatchEndpoint, BatchRequest, ListBatchesQuery};
use async_openai::types::files::{CreateFileRequest, FileInput, FilePurpose};
use bytes::Bytes;
use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::outcome::HttpRefusal;
use super::reply::Reply;
use super::transport::{self, RateLimitSlot, http_service};
use super::{CallError, Completion, Llm, refusal_of};
use crate::llm::prompt::Dialect;

/// For the whole upload or download of a file.
pub const FILE_TIMEOUT: Duration = Duration::from_secs(600);
/// What every request of a batch is sent to, in OpenAI's words; servers under other addresses use the same.
const ENDPOINT: &str = "/v1/chat/completions";
/// The batch's token in its metadata.
const TOKEN: &str = "twinlab_batch";
/// Batches on one page of a list, and the most pages that are read.
const PAGE: u32 = 100;
const MAX_PAGES: usize = 50;

/// Why a call of the Batch API failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// 404, 405 or 501: what was asked for is not there, or no such API.
    #[error("{0}")]
    NotThere(String),
    #[error(transparent)]
    Call(CallError),
    /// The reader did not take the lines.
    #[error("{0}")]
    Reader(String),
}

/// A batch as the server tells of it. Servers leave out what they do not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RemoteBatch {
    pub id: String,
    #[serde(default)]
    pub status: String,
    pub input_file_id: Option<String>,
    pub output_file_id: Option<String>,
    pub error_file_id: Option<String>,
    #[serde(default)]
    request_counts: Option<Counts>,
    #[serde(default)]
    metadata: Option<HashMap<String, Value>>,
    #[serde(default)]
    errors: Value,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Counts {
    completed: i32,
    failed: i32,
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

impl RemoteBatch {
    /// Nothing more comes of it.
    pub fn has_ended(&self) -> bool {
        matches!(self.status.as_str(), "completed" | "failed" | "expired" | "cancelled" | "canceled")
    }

    /// It did all that it was going to do; otherwise the server broke it off.
    pub fn is_complete(&self) -> bool {
        self.status == "completed"
    }

    /// Its calls that are done, well or not.
    pub fn done(&self) -> i32 {
        self.request_counts.map_or(0, |counts| counts.completed.saturating_add(counts.failed))
    }

    /// The first thing that the server minds about it.
    pub fn complaint(&self) -> Option<&str> {
        self.errors.pointer("/data/0/message")?.as_str()
    }

    fn is(&self, file: &str, token: Uuid) -> bool {
        let named = self.metadata.as_ref().and_then(|metadata| metadata.get(TOKEN)?.as_str());
        self.input_file_id.as_deref() == Some(file) || named == Some(token.to_string().as_str())
    }
}

/// A request in a batch's file.
#[derive(Serialize)]
struct Line<'a> {
    custom_id: &'a str,
    method: &'static str,
    url: &'static str,
    body: &'a RawValue,
}

/// What the server answers to a request of a batch.
#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    response: Option<Response>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status_code: u16,
    #[serde(default)]
    body: Value,
}

/// The calls of a batch are told apart by their twin and prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchLine {
    pub persona_id: i32,
    /// As hex.
    pub prompt_hash: String,
    pub kind: LineKind,
}

/// What a line of a batch's results tells of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    Answered,
    /// The request was not at fault and was not asked: it costs no attempt.
    NotAsked(String),
    /// The key or the account.
    Denied(String),
    /// The same request would be refused again.
    Refused(String),
    /// Another error of this request.
    Failed,
}

pub fn custom_id(persona_id: i32, prompt_hash: &str) -> String {
    format!("{persona_id}-{prompt_hash}")
}

/// Appends the request to a batch's file. The body is sent byte for byte.
pub fn write_line(file: &mut Vec<u8>, custom_id: &str, body: String) -> serde_json::Result<()> {
    let body = RawValue::from_string(body)?;
    serde_json::to_writer(&mut *file, &Line { custom_id, method: "POST", url: ENDPOINT, body: &body })?;
    file.push(b'\n');
    Ok(())
}

impl BatchLine {
    /// `None`: it is none of ours.
    pub fn parse(line: &str, dialect: Dialect) -> Option<Self> {
        #[derive(Deserialize)]
        struct Named {
            custom_id: String,
        }
        let Named { custom_id } = serde_json::from_str(line).ok()?;
        let (persona_id, prompt_hash) = custom_id.split_once('-')?;
        let kind = match serde_json::from_str(line) {
            Ok(outcome) => LineKind::of(outcome, dialect),
            Err(_) => LineKind::Failed,
        };
        Some(Self { persona_id: persona_id.parse().ok()?, prompt_hash: prompt_hash.to_owned(), kind })
    }
}

impl LineKind {
    fn of(outcome: Outcome, dialect: Dialect) -> Self {
        let refusal = match outcome {
            Outcome { response: Some(response), .. } => match response.into_reply() {
                Ok(_) => return Self::Answered,
                Err(refusal) => refusal,
            },
            Outcome { error: Some(error), .. } => {
                let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
                let said = error.get("message").and_then(Value::as_str).unwrap_or(code);
                let not_asked = ["batch_expired", "batch_cancelled", "batch_canceled"].contains(&code);
                return if not_asked { Self::NotAsked(said.to_owned()) } else { Self::Failed };
            }
            Outcome { .. } => return Self::Failed,
        };
        let is_understood = refusal.refused_part(dialect).is_none();
        match refusal.into_call_error() {
            CallError::RateLimited { message, .. } => Self::NotAsked(message),
            CallError::Denied { message } => Self::Denied(message),
            CallError::Rejected { message, .. } if is_understood => Self::Refused(message),
            error if error.code() == CallError::MODEL_MISSING => Self::Refused(error.to_string()),
            _ => Self::Failed,
        }
    }
}

impl Response {
    /// The body of a success.
    fn into_reply(self) -> Result<Value, HttpRefusal> {
        let status = StatusCode::from_u16(self.status_code).unwrap_or(StatusCode::BAD_GATEWAY);
        match status.is_success() {
            true => Ok(self.body),
            false => Err(HttpRefusal { status, retry_after: None, body: self.body.to_string() }),
        }
    }
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
        let metadata = [(TOKEN, token.to_string()), ("number", number.to_string())];
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

    /// Reads a file line by line, as it arrives. A line that is too long is left out. Errors of the reader end it.
    pub async fn read_file(
        &self,
        id: &str,
        mut each: impl AsyncFnMut(String) -> Result<(), String>,
    ) -> Result<(), BatchError> {
        let address = format!("{}/files/{id}/content", self.address.as_str().trim_end_matches('/'));
        let mut request = self.files_http.get(address);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let broken = |error: reqwest::Error| BatchError::Call(CallError::from_http(&error));
        let mut response = request.send().await.map_err(broken)?;
        if !response.status().is_success() {
            return Err(self.refused_batch(transport::read_refusal(response).await));
        }
        let mut lines = Lines::default();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            for line in lines.add(&chunk) {
                each(line).await.map_err(BatchError::Reader)?;
            }
        }
        match lines.rest() {
            Some(line) => each(line).await.map_err(BatchError::Reader),
            None => Ok(()),
        }
    }

    /// What a line of a batch's results says to the request of this prompt.
    pub fn read_line(
        &self,
        line: &str,
        sent: Dialect,
        model: &str,
        prompt_bytes: usize,
    ) -> Result<Completion, CallError> {
        let failed = |message: &str| CallError::transient("batch", message);
        let outcome: Outcome = serde_json::from_str(line).map_err(|error| CallError::unreadable(&error, line))?;
        let read = match outcome {
            Outcome { response: Some(response), .. } => match response.into_reply() {
                // A batch has no latency: its calls are answered when there is room for them.
                Ok(body) => serde_json::from_value::<Reply>(body)
                    .map_err(|error| CallError::unreadable(&error, line))
                    .and_then(|reply| reply.into_completion(model.to_owned(), prompt_bytes, Duration::ZERO)),
                Err(refusal) => Err(self.refused(refusal, sent)),
            },
            Outcome { error: Some(error), .. } => {
                let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
                Err(failed(&message.unwrap_or_else(|| error.to_string())))
            }
            Outcome { .. } => Err(failed("the batch's results have neither a response nor an error for this request")),
        };
        read.map_err(|error| error.without_key(self.key.as_deref()))
    }

    fn batch_error(&self, error: OpenAIError) -> BatchError {
        match refusal_of(error) {
            Ok(refusal) => self.refused_batch(refusal),
            Err(error) => BatchError::Call(error.without_key(self.key.as_deref())),
        }
    }

    fn refused_batch(&self, refusal: HttpRefusal) -> BatchError {
        let is_missing = matches!(refusal.status.as_u16(), 404 | 405 | 501);
        let error = refusal.into_call_error().without_key(self.key.as_deref());
        if is_missing { BatchError::NotThere(error.to_string()) } else { BatchError::Call(error) }
    }
}

/// The lines of a text that arrives in pieces.
#[derive(Default)]
struct Lines {
    begun: Vec<u8>,
    /// The line that has begun is too long: it is left out.
    too_long: bool,
}

impl Lines {
    fn add(&mut self, piece: &[u8]) -> Vec<String> {
        let mut whole = Vec::new();
        let mut parts = piece.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            self.too_long |= self.begun.len() + part.len() > transport::MAX_REPLY;
            if self.too_long {
                self.begun.clear();
            } else {
                self.begun.extend_from_slice(part);
            }
            if parts.peek().is_some() {
                whole.extend(self.rest());
            }
        }
        whole
    }

    /// The line that has begun, if there is something in it.
    fn rest(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.begun);
        let too_long = std::mem::take(&mut self.too_long);
        let line = String::from_utf8_lossy(&line).trim().replace('\0', "");
        (!too_long && !line.is_empty()).then_some(line)
    }
}
