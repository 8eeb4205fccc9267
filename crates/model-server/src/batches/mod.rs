//! The Batch API: uploaded files of requests, and batches that answer them, in memory.
//!
//! This module holds the state and routes requests. [`files`] keeps files, [`submission`] checks a batch and
//! [`answering`] answers its lines.

mod answering;
mod files;
mod submission;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::http::{HttpRequest, HttpResponse};
use crate::reply::ApiError;
use crate::state::State;

const ENDPOINT: &str = "/v1/chat/completions";
/// Maximum number of batches and files that are kept, and of bytes of files. The oldest are dropped first.
const MAX_BATCHES: usize = 1_000;
const MAX_FILES: usize = 200;
const MAX_BYTES: usize = 512 << 20;
/// Number of batches on a page of their list.
const PAGE: usize = 20;
const MAX_PAGE: usize = 100;

/// The files and batches of a server.
#[derive(Default)]
pub struct Batches {
    files: HashMap<String, Arc<str>>,
    /// Ids of files, the oldest first.
    uploaded: VecDeque<String>,
    batches: Vec<Batch>,
    /// Number of files and batches so far.
    count: usize,
    /// Number of batches so far.
    submitted: usize,
    /// Number of lookups so far that found nothing.
    missed: usize,
}

#[derive(Clone)]
struct Batch {
    id: String,
    status: &'static str,
    input: String,
    output: Option<String>,
    errors: Option<String>,
    metadata: Value,
    lines: usize,
    /// Number of tokens in all its prompts.
    tokens: usize,
    completed: usize,
    failed: usize,
    complaint: Option<Complaint>,
    created: u64,
}

/// Why a batch is refused.
#[derive(Clone, Debug, PartialEq)]
struct Complaint {
    code: &'static str,
    message: String,
}

/// A batch, for tests.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRecord {
    pub id: String,
    pub status: &'static str,
    pub metadata: Value,
    /// Number of requests in it.
    pub lines: usize,
    /// Number of requests with a result or an error.
    pub done: usize,
}

/// A line of a batch's file.
#[derive(Deserialize)]
struct Line<'a> {
    custom_id: String,
    method: String,
    url: String,
    #[serde(borrow)]
    body: &'a RawValue,
}

impl Batches {
    pub fn records(&self) -> Vec<BatchRecord> {
        let record = |batch: &Batch| BatchRecord {
            id: batch.id.clone(),
            status: batch.status,
            metadata: batch.metadata.clone(),
            lines: batch.lines,
            done: batch.completed + batch.failed,
        };
        self.batches.iter().map(record).collect()
    }

    pub fn files(&self) -> usize {
        self.files.len()
    }

    pub fn forget(&mut self) {
        self.files.clear();
        self.uploaded.clear();
        self.batches.clear();
    }

    fn next_id(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{kind}-{}", self.count)
    }

    fn store(&mut self, text: &str) -> String {
        let id = self.next_id("file");
        self.files.insert(id.clone(), text.into());
        self.uploaded.push_back(id.clone());
        while (self.uploaded.len() > MAX_FILES || self.bytes() > MAX_BYTES)
            && let Some(oldest) = self.uploaded.pop_front()
        {
            self.files.remove(&oldest);
        }
        id
    }

    fn bytes(&self) -> usize {
        self.files.values().map(|text| text.len()).sum()
    }

    /// Number of tokens in batches that wait or are under way.
    fn queued(&self) -> usize {
        self.batches.iter().filter(|batch| !batch.is_over()).map(|batch| batch.tokens).sum()
    }

    fn batch(&mut self, id: &str) -> Option<&mut Batch> {
        self.batches.iter_mut().find(|batch| batch.id == id)
    }
}

impl Batch {
    fn json(&self) -> Value {
        let errors = self.complaint.as_ref().map(|Complaint { code, message }| {
            json!({"object": "list", "data": [{"code": code, "message": message, "param": null, "line": null}]})
        });
        json!({
            "id": self.id,
            "object": "batch",
            "endpoint": ENDPOINT,
            "errors": errors,
            "input_file_id": self.input,
            "completion_window": "24h",
            "status": self.status,
            "output_file_id": self.output,
            "error_file_id": self.errors,
            "created_at": self.created,
            "expires_at": self.created + 24 * 60 * 60,
            "request_counts": {"total": self.lines, "completed": self.completed, "failed": self.failed},
            "metadata": self.metadata,
        })
    }

    fn is_over(&self) -> bool {
        matches!(self.status, "completed" | "failed" | "expired" | "cancelled")
    }
}

/// Answers a request of the Batch API. `None` if it is another request.
pub fn route(state: &Arc<State>, request: &HttpRequest, body: &[u8]) -> Option<HttpResponse> {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let (kind, rest) = ["/files", "/batches"].into_iter().find_map(|kind| Some((kind, path.split_once(kind)?.1)))?;
    let faults = state.batch_faults();
    if faults.missing {
        return None;
    }
    let parts: Vec<&str> = rest.split('/').skip(1).collect();
    let answered = match (kind, request.method.as_str(), parts.as_slice()) {
        (_, "GET", [id, ..]) if is_missed(state, faults.misses) => Err(no_batch(id)),
        ("/files", "POST", []) => files::upload(state, &request.content_type, body),
        ("/files", "GET", [id]) => files::find(state, id).map(|text| json_ok(&files::card(id, text.len()))),
        ("/files", "GET", [id, "content"]) => files::find(state, id).map(|text| HttpResponse::lines(text.to_string())),
        ("/files", "DELETE", [id]) => files::delete(state, id),
        ("/batches", "POST", []) => submission::submit(state, body),
        ("/batches", "GET", []) => Ok(list(state, query)),
        ("/batches", "GET", [id]) => show(state, id),
        ("/batches", "POST", [id, "cancel"]) => cancel(state, id),
        _ => return None,
    };
    Some(answered.unwrap_or_else(ApiError::response))
}

/// Whether this lookup is one of the first that find nothing.
fn is_missed(state: &State, misses: usize) -> bool {
    let mut batches = state.batches();
    let is_missed = batches.missed < misses;
    batches.missed += usize::from(is_missed);
    is_missed
}

fn json_ok(body: &Value) -> HttpResponse {
    HttpResponse::json("200 OK", body)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn no_batch(id: &str) -> ApiError {
    ApiError::not_found(format!("No batch found with id '{id}'."))
}

fn list(state: &State, query: &str) -> HttpResponse {
    let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let limit = value("limit").and_then(|limit| limit.parse().ok()).unwrap_or(PAGE).clamp(1, MAX_PAGE);
    let batches = state.batches();
    let newest = batches.batches.iter().rev();
    let mut after: Vec<&Batch> = match value("after") {
        Some(id) => newest.skip_while(|batch| batch.id != id).skip(1).collect(),
        None => newest.collect(),
    };
    let has_more = after.len() > limit;
    after.truncate(limit);
    let data: Vec<Value> = after.into_iter().map(Batch::json).collect();
    json_ok(&json!({"object": "list", "data": data, "has_more": has_more,
        "first_id": data.first().map(|batch| &batch["id"]), "last_id": data.last().map(|batch| &batch["id"])}))
}

fn show(state: &State, id: &str) -> Result<HttpResponse, ApiError> {
    state.batches().batch(id).map(|batch| json_ok(&batch.json())).ok_or_else(|| no_batch(id))
}

fn cancel(state: &State, id: &str) -> Result<HttpResponse, ApiError> {
    let mut batches = state.batches();
    let batch = batches.batch(id).ok_or_else(|| no_batch(id))?;
    if batch.is_over() {
        let message = format!("Cannot cancel a batch with status '{}'.", batch.status);
        return Err(ApiError::conflict(message));
    }
    batch.status = "cancelling";
    Ok(json_ok(&batch.json()))
}
