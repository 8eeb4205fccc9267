//! Batches of requests, in memory: OpenAI's with their files, Anthropic's Message Batches and Gemini's batch mode.
//!
//! This module holds the state. [`submission`] checks a batch, [`answering`] answers its requests, and [`openai`],
//! [`anthropic`] and [`gemini`] have the routes and forms of the wires. [`files`] keeps all files and results.

mod answering;
mod anthropic;
mod files;
mod gemini;
mod gemini_files;
mod openai;
mod submission;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::error::ApiError;
use crate::http::{HttpRequest, HttpResponse};
use crate::request::Wire;
use crate::state::State;
use crate::wire::{self, wire_of};

/// Maximum number of batches and files that are kept, and of bytes of files. The oldest are dropped first.
const MAX_BATCHES: usize = 1_000;
const MAX_FILES: usize = 200;
const MAX_BYTES: usize = 512 << 20;
/// Time in which a batch is answered or expires.
const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
/// Number of batches on a page of their list.
const PAGE: usize = 20;
const MAX_PAGE: usize = 100;

/// The files and batches of a server.
#[derive(Default)]
pub struct Batches {
    files: HashMap<String, Arc<str>>,
    /// Ids of files, the oldest first.
    uploaded: VecDeque<String>,
    /// Pieces of Gemini's uploads that have not ended.
    uploads: HashMap<String, Vec<u8>>,
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
    wire: Wire,
    id: String,
    /// The status in OpenAI's words.
    status: &'static str,
    /// The file of requests, if they came in one.
    input: String,
    /// Id of the file with the results; on OpenAI, of those with status 200.
    output: Option<String>,
    /// OpenAI's file of other results.
    errors: Option<String>,
    /// Metadata of the whole batch; on Gemini its name.
    metadata: Value,
    /// The model of the path.
    model: Option<String>,
    lines: usize,
    /// Number of tokens in all its prompts.
    tokens: usize,
    completed: usize,
    failed: usize,
    complaint: Option<Complaint>,
    created: SystemTime,
    cancelled: Option<SystemTime>,
    ended: Option<SystemTime>,
    /// A deleted batch is kept for [`Batches::records`] alone.
    deleted: bool,
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
    pub wire: Wire,
    pub id: String,
    pub status: &'static str,
    pub metadata: Value,
    /// Number of requests in it.
    pub lines: usize,
    /// Number of requests with a result or an error.
    pub done: usize,
}

/// A request of a batch.
#[derive(Clone, Debug, PartialEq)]
struct Item {
    id: String,
    body: String,
    /// Gemini's metadata of the request, which its result repeats.
    metadata: Value,
}

impl Batches {
    pub fn records(&self) -> Vec<BatchRecord> {
        let record = |batch: &Batch| BatchRecord {
            wire: batch.wire,
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
        self.uploads.clear();
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
    fn is_over(&self) -> bool {
        matches!(self.status, "completed" | "failed" | "expired" | "cancelled")
    }

    /// The lines of its results.
    fn results(&self, state: &State) -> Option<Arc<str>> {
        state.batches().files.get(self.output.as_ref()?).cloned()
    }
}

/// Answers a request about batches or files. `None` if it is another request.
pub fn route(state: &Arc<State>, request: &HttpRequest, body: &[u8]) -> Option<HttpResponse> {
    if state.batch_faults().missing {
        return None;
    }
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let wire = wire_of(request);
    let answered = match wire {
        Wire::OpenAi => openai::route(state, request, path, query, body),
        Wire::Anthropic => anthropic::route(state, &request.method, path, query, body),
        Wire::Gemini => gemini::route(state, request, path, query, body),
    };
    answered.map(|answered| answered.unwrap_or_else(|error| wire::error(wire, &error)))
}

/// Whether this lookup is one of the first that find nothing.
fn is_missed(state: &State) -> bool {
    let misses = state.batch_faults().misses;
    let mut batches = state.batches();
    let is_missed = batches.missed < misses;
    batches.missed += usize::from(is_missed);
    is_missed
}

fn json_ok(body: &Value) -> HttpResponse {
    HttpResponse::json("200 OK", body)
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn no_batch(id: &str) -> ApiError {
    ApiError::not_found(format!("No batch found with id '{id}'."))
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// Returns a page of the wire's batches, the newest first, and whether there are more. It begins after the batch with
/// the id `after`.
fn page(state: &State, wire: Wire, limit: Option<&str>, after: Option<&str>) -> (Vec<Batch>, bool) {
    let limit = limit.and_then(|limit| limit.parse().ok()).unwrap_or(PAGE).clamp(1, MAX_PAGE);
    let batches = state.batches();
    let newest = batches.batches.iter().rev().filter(|batch| batch.wire == wire && !batch.deleted);
    let mut found: Vec<&Batch> = match after.filter(|id| !id.is_empty()) {
        Some(id) => newest.skip_while(|batch| batch.id != id).skip(1).collect(),
        None => newest.collect(),
    };
    let has_more = found.len() > limit;
    found.truncate(limit);
    (found.into_iter().cloned().collect(), has_more)
}

fn find(state: &State, wire: Wire, id: &str) -> Result<Batch, ApiError> {
    let found = state.batches().batch(id).filter(|batch| batch.wire == wire && !batch.deleted).cloned();
    found.ok_or_else(|| no_batch(id))
}

fn cancel(state: &State, wire: Wire, id: &str) -> Result<Batch, ApiError> {
    let mut batches = state.batches();
    let batch = batches.batch(id).filter(|batch| batch.wire == wire && !batch.deleted).ok_or_else(|| no_batch(id))?;
    if batch.is_over() {
        return Err(ApiError::conflict(format!("Cannot cancel a batch with status '{}'.", batch.status)));
    }
    batch.status = "cancelling";
    batch.cancelled.get_or_insert_with(SystemTime::now);
    Ok(batch.clone())
}

/// Drops a batch that is over, and its results.
fn delete(state: &State, wire: Wire, id: &str) -> Result<(), ApiError> {
    let Batch { output, .. } = find(state, wire, id).and_then(|batch| {
        let is_over = batch.is_over();
        is_over.then_some(batch).ok_or_else(|| ApiError::conflict("A batch under way cannot be deleted."))
    })?;
    let mut batches = state.batches();
    if let Some(batch) = batches.batch(id) {
        batch.deleted = true;
    }
    if let Some(file) = output {
        batches.files.remove(&file);
        batches.uploaded.retain(|uploaded| *uploaded != file);
    }
    Ok(())
}
