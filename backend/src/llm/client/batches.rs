//! The server's Batch API: files of requests, which it answers within a day at a lower price.

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(outcome: Value) -> String {
        let mut line = json!({"id": "batch_req_1", "custom_id": "17-c0ffee", "response": null, "error": null});
        line.as_object_mut().expect("an object").extend(outcome.as_object().expect("an object").clone());
        line.to_string()
    }

    fn kind(outcome: Value) -> LineKind {
        BatchLine::parse(&line(outcome), Dialect::default()).expect("a line of ours").kind
    }

    fn refusal(status: u16, error: Value) -> Value {
        json!({"response": {"status_code": status, "request_id": "r", "body": {"error": error}}})
    }

    #[test]
    fn a_request_is_one_line_with_its_body_byte_for_byte() {
        let mut file = Vec::new();
        let body = r#"{"messages":[{"role":"system","content":"a\nb"}],"model":"m","seed":7}"#;
        for persona in [3, 4] {
            write_line(&mut file, &custom_id(persona, "c0ffee"), body.to_owned()).expect("JSON");
        }
        let text = String::from_utf8(file).expect("UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[0],
            format!(r#"{{"custom_id":"3-c0ffee","method":"POST","url":"/v1/chat/completions","body":{body}}}"#)
        );
    }

    #[test]
    fn a_line_of_the_results_names_its_call_and_what_became_of_it() {
        let answered = json!({"response": {"status_code": 200, "request_id": "r", "body": {"choices": []}}});
        let read = BatchLine::parse(&line(answered.clone()), Dialect::default());
        let expected = BatchLine { persona_id: 17, prompt_hash: "c0ffee".to_owned(), kind: LineKind::Answered };
        assert_eq!(read, Some(expected));
        let said = |text: &str| text.to_owned();
        for (outcome, wanted) in [
            (json!({"error": {"code": "batch_expired", "message": "late"}}), LineKind::NotAsked(said("late"))),
            (json!({"error": {"code": "server_error", "message": "oh"}}), LineKind::Failed),
            (json!({}), LineKind::Failed),
            (json!({"response": "what"}), LineKind::Failed),
            (refusal(429, json!({"message": "slow"})), LineKind::NotAsked(said("slow"))),
            (
                refusal(429, json!({"message": "no money", "code": "insufficient_quota"})),
                LineKind::Denied(said("no money")),
            ),
            (refusal(401, json!({"message": "key"})), LineKind::Denied(said("key"))),
            (refusal(400, json!({"message": "bad"})), LineKind::Refused(said("bad"))),
            (refusal(400, json!({"message": "no response_format here"})), LineKind::Failed),
            (
                refusal(404, json!({"message": "no such model", "code": "model_not_found"})),
                LineKind::Refused(said("no such model")),
            ),
            (refusal(500, json!({"message": "oh"})), LineKind::Failed),
        ] {
            assert_eq!(kind(outcome.clone()), wanted, "{outcome}");
        }
        for foreign in ["", "{}", r#"{"custom_id": "x-1"}"#, r#"{"custom_id": "17"}"#, "not JSON"] {
            assert_eq!(BatchLine::parse(foreign, Dialect::default()), None, "{foreign}");
        }
    }

    #[test]
    fn lines_are_whole_however_they_arrive() {
        let text = "{\"a\": \"é\"}\r\n\n{\"b\": 1}\n{\"c\": 2}";
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let mut read: Vec<String> = text.as_bytes().chunks(size).flat_map(|piece| lines.add(piece)).collect();
            read.extend(lines.rest());
            assert_eq!(read, ["{\"a\": \"é\"}", "{\"b\": 1}", "{\"c\": 2}"], "{size}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out() {
        let mut lines = Lines::default();
        let long = vec![b'x'; transport::MAX_REPLY / 2 + 1];
        assert!(lines.add(&long).is_empty() && lines.add(&long).is_empty());
        assert_eq!(lines.add(b"x\nnext\n"), ["next"]);
    }

    #[test]
    fn a_batch_is_known_by_its_file_or_its_token_and_by_its_end() {
        let token = Uuid::new_v4();
        let batch = |batch: Value| serde_json::from_value::<RemoteBatch>(batch).expect("a batch");
        let plain = batch(json!({"id": "b"}));
        assert!(!plain.has_ended() && !plain.is("f", token) && plain.done() == 0);
        assert!(batch(json!({"id": "b", "input_file_id": "f"})).is("f", token));
        assert!(batch(json!({"id": "b", "metadata": {TOKEN: token.to_string()}})).is("f", token));
        let partial = batch(json!({"id": "b", "status": "expired", "output_file_id": "o", "errors": null,
            "request_counts": {"total": 9, "completed": 3, "failed": 1}}));
        assert!(partial.has_ended() && !partial.is_complete());
        assert_eq!(partial.done(), 4);
        let failed = batch(json!({"id": "b", "status": "failed",
            "errors": {"object": "list", "data": [{"code": "c", "message": "line 3 is no JSON", "line": 3}]}}));
        assert_eq!(failed.complaint(), Some("line 3 is no JSON"));
    }
}
