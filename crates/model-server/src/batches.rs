//! The Batch API: uploaded files of requests, and batches that answer them, in memory.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::BatchFault;
use crate::http::{HttpRequest, HttpResponse};
use crate::reply::{ApiError, Delivery, Reply};
use crate::state::{Door, State};

const ENDPOINT: &str = "/v1/chat/completions";
const MAX_LINES: usize = 50_000;
/// Batches and files that are remembered; the oldest are forgotten first.
const MAX_BATCHES: usize = 1_000;
const MAX_FILES: usize = 200;
/// Batches on a page of their list.
const PAGE: usize = 20;
const MAX_PAGE: usize = 100;
/// Lines that are answered before others have their turn.
const AT_ONCE: usize = 50;

/// What a server remembers of files and batches.
#[derive(Default)]
pub struct Batches {
    files: HashMap<String, Arc<str>>,
    /// Ids, the oldest first.
    uploaded: VecDeque<String>,
    batches: Vec<Batch>,
    /// Files and batches so far.
    count: usize,
    /// Batches so far.
    submitted: usize,
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
    completed: usize,
    failed: usize,
    complaint: Option<String>,
    created: u64,
}

/// A batch, for tests.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRecord {
    pub id: String,
    pub status: &'static str,
    pub metadata: Value,
    /// Requests in it.
    pub lines: usize,
    /// Answered, well or not.
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

#[derive(Deserialize)]
struct Submission {
    input_file_id: String,
    endpoint: String,
    completion_window: String,
    #[serde(default)]
    metadata: Value,
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
        while self.uploaded.len() > MAX_FILES
            && let Some(oldest) = self.uploaded.pop_front()
        {
            self.files.remove(&oldest);
        }
        id
    }

    fn batch(&mut self, id: &str) -> Option<&mut Batch> {
        self.batches.iter_mut().find(|batch| batch.id == id)
    }
}

impl Batch {
    fn json(&self) -> Value {
        let errors = self.complaint.as_ref().map(|message| {
            json!({"object": "list", "data": [{"code": "invalid_request", "message": message, "param": null, "line": null}]})
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

/// Answers a request of the Batch API; `None`: it is none.
pub fn route(state: &Arc<State>, request: &HttpRequest, body: &[u8]) -> Option<HttpResponse> {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let (kind, rest) = ["/files", "/batches"].into_iter().find_map(|kind| Some((kind, path.split_once(kind)?.1)))?;
    if state.batch_faults().missing {
        return None;
    }
    let parts: Vec<&str> = rest.split('/').skip(1).collect();
    let answered = match (kind, request.method.as_str(), parts.as_slice()) {
        ("/files", "POST", []) => upload(state, &request.content_type, body),
        ("/files", "GET", [id]) => file(state, id).map(|text| json_ok(&file_json(id, text.len()))),
        ("/files", "GET", [id, "content"]) => file(state, id).map(|text| HttpResponse::lines(text.to_string())),
        ("/files", "DELETE", [id]) => delete(state, id),
        ("/batches", "POST", []) => submit(state, body),
        ("/batches", "GET", []) => Ok(list(state, query)),
        ("/batches", "GET", [id]) => show(state, id),
        ("/batches", "POST", [id, "cancel"]) => cancel(state, id),
        _ => return None,
    };
    Some(answered.unwrap_or_else(ApiError::response))
}

fn json_ok(body: &Value) -> HttpResponse {
    HttpResponse::json("200 OK", body)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn file_json(id: &str, bytes: usize) -> Value {
    json!({"id": id, "object": "file", "bytes": bytes, "created_at": now(), "filename": "batch.jsonl", "purpose": "batch",
        "status": "processed"})
}

fn no_file(id: &str) -> ApiError {
    ApiError::not_found(format!("No such File object: {id}"))
}

fn no_batch(id: &str) -> ApiError {
    ApiError::not_found(format!("No batch found with id '{id}'."))
}

fn upload(state: &State, content_type: &str, body: &[u8]) -> Result<HttpResponse, ApiError> {
    let invalid = |message: &str| ApiError::invalid(message, Some("file"));
    let boundary = content_type.split_once("boundary=").map(|(_, rest)| rest.trim_matches('"'));
    let boundary = boundary.ok_or_else(|| invalid("The request is no multipart/form-data."))?;
    let (mut purpose, mut text) = (None, None);
    for (name, content) in parts(body, boundary) {
        match name.as_str() {
            "purpose" => purpose = str::from_utf8(content).ok(),
            "file" => text = Some(content),
            _ => {}
        }
    }
    if purpose != Some("batch") {
        return Err(ApiError::invalid("'purpose' must be 'batch'.", Some("purpose")));
    }
    let text = text.ok_or_else(|| invalid("'file' is missing."))?;
    let text = str::from_utf8(text).map_err(|_| invalid("The file is not UTF-8."))?;
    let id = state.batches().store(text);
    Ok(json_ok(&file_json(&id, text.len())))
}

/// The parts of a form, by name.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Vec<(String, &'a [u8])> {
    let delimiter = format!("\r\n--{boundary}");
    let find = |text: &[u8], what: &[u8]| text.windows(what.len()).position(|window| window == what);
    let mut parts = Vec::new();
    // The first delimiter has no line before it.
    let mut rest = body.strip_prefix(delimiter.trim_start().as_bytes());
    while let Some(part) = rest.and_then(|rest| rest.strip_prefix(b"\r\n")) {
        let Some(head_end) = find(part, b"\r\n\r\n") else { break };
        let (head, content) = (&part[..head_end], &part[head_end + 4..]);
        let Some(end) = find_long(content, delimiter.as_bytes()) else { break };
        let head = String::from_utf8_lossy(head);
        let name = head.split("name=\"").nth(1).and_then(|rest| rest.split('"').next());
        parts.push((name.unwrap_or_default().to_owned(), &content[..end]));
        rest = Some(&content[end + delimiter.len()..]);
    }
    parts
}

/// Where this stands in a long text: only line breaks are compared further.
fn find_long(text: &[u8], what: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].iter().position(|byte| *byte == what[0]) {
        if text[from + at..].starts_with(what) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

fn file(state: &State, id: &str) -> Result<Arc<str>, ApiError> {
    state.batches().files.get(id).cloned().ok_or_else(|| no_file(id))
}

fn delete(state: &State, id: &str) -> Result<HttpResponse, ApiError> {
    let mut batches = state.batches();
    batches.files.remove(id).ok_or_else(|| no_file(id))?;
    batches.uploaded.retain(|uploaded| uploaded != id);
    Ok(json_ok(&json!({"id": id, "object": "file", "deleted": true})))
}

fn submit(state: &Arc<State>, body: &[u8]) -> Result<HttpResponse, ApiError> {
    let submission: Submission = serde_json::from_slice(body).map_err(|error| {
        ApiError::invalid(format!("We could not parse the JSON body of your request: {error}"), None)
    })?;
    if submission.endpoint != ENDPOINT {
        return Err(ApiError::invalid(format!("'endpoint' must be '{ENDPOINT}'."), Some("endpoint")));
    }
    if submission.completion_window != "24h" {
        return Err(ApiError::invalid("'completion_window' must be '24h'.", Some("completion_window")));
    }
    let text = file(state, &submission.input_file_id)?;
    let checked = check(&text);
    let script = state.batch_faults().script;
    let mut batches = state.batches();
    let fault = script.get(batches.submitted).copied().flatten();
    let complaint = match checked {
        Err(ref complaint) => Some(complaint.clone()),
        Ok(_) if fault == Some(BatchFault::Fails) => Some("This batch is refused. (An injected fault.)".to_owned()),
        Ok(_) => None,
    };
    let batch = Batch {
        id: batches.next_id("batch"),
        status: if complaint.is_some() { "failed" } else { "in_progress" },
        input: submission.input_file_id,
        output: None,
        errors: None,
        metadata: submission.metadata,
        lines: checked.unwrap_or_default(),
        completed: 0,
        failed: 0,
        complaint,
        created: now(),
    };
    batches.submitted += 1;
    batches.batches.push(batch.clone());
    if batches.batches.len() > MAX_BATCHES {
        batches.batches.remove(0);
    }
    drop(batches);
    if !batch.is_over() {
        tokio::spawn(answer(state.clone(), batch.id.clone(), text, fault));
    }
    Ok(json_ok(&batch.json()))
}

/// The number of lines, or what is wrong with one.
fn check(text: &str) -> Result<usize, String> {
    let mut ids = HashSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line: Line<'_> = serde_json::from_str(line).map_err(|error| format!("Line {number}: {error}"))?;
        if line.method != "POST" || line.url != ENDPOINT {
            return Err(format!("Line {number}: every request must be POST {ENDPOINT}."));
        }
        if !ids.insert(line.custom_id) {
            return Err(format!("Line {number}: its custom_id is used before."));
        }
    }
    match ids.len() {
        0 => Err("The file holds no request.".to_owned()),
        lines if lines > MAX_LINES => Err(format!("The file holds more than {MAX_LINES} requests.")),
        lines => Ok(lines),
    }
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

/// What came of a line.
struct Answered {
    line: String,
    well: bool,
}

/// Answers the batch's lines, and keeps the results.
async fn answer(state: Arc<State>, id: String, text: Arc<str>, fault: Option<BatchFault>) {
    sleep(state.batch_faults().delay).await;
    let (mut output, mut errors) = (String::new(), String::new());
    let mut end = "completed";
    for (number, line) in text.lines().enumerate() {
        if number % AT_ONCE == 0 {
            yield_now().await;
            let mut held = state.held.subscribe();
            // A batch may be cancelled while it is held.
            while *held.borrow() && !is_cancelling(&state, &id) {
                let _ = tokio::time::timeout(std::time::Duration::from_millis(20), held.changed()).await;
            }
        }
        if is_cancelling(&state, &id) {
            end = "cancelled";
            break;
        }
        if fault == Some(BatchFault::Expires(number)) {
            end = "expired";
            break;
        }
        // The file was checked.
        let Ok(line) = serde_json::from_str::<Line<'_>>(line) else { continue };
        let Answered { line, well } = answer_line(&state, &line, number);
        let lost = matches!(fault, Some(BatchFault::Loses(lines)) if number < lines);
        if !lost {
            // Writing to a string cannot fail.
            let _ = writeln!(if well { &mut output } else { &mut errors }, "{line}");
        }
        if let Some(batch) = state.batches().batch(&id) {
            if well { batch.completed += 1 } else { batch.failed += 1 }
        }
    }
    let mut batches = state.batches();
    let store = |batches: &mut Batches, text: &str| (!text.is_empty()).then(|| batches.store(text));
    let (output, errors) = (store(&mut batches, &output), store(&mut batches, &errors));
    if let Some(batch) = batches.batch(&id) {
        (batch.status, batch.output, batch.errors) = (end, output, errors);
    }
}

fn is_cancelling(state: &State, id: &str) -> bool {
    state.batches().batch(id).is_none_or(|batch| batch.status == "cancelling")
}

fn answer_line(state: &State, line: &Line<'_>, number: usize) -> Answered {
    let request_id = format!("req-{number}");
    let (response, error) = match state.receive_by(line.body.get().as_bytes(), Door::Batch) {
        Ok(plan) => {
            let outcome = outcome(&plan.reply);
            state.ended(&plan);
            outcome
        }
        Err(refusal) => (Some(refusal), None),
    };
    let well = response.as_ref().is_some_and(|response| response.status_code() == 200);
    let response = response.map(|response| {
        let body = serde_json::from_str(&response.body).unwrap_or_else(|_| Value::from(response.body.clone()));
        json!({"status_code": response.status_code(), "request_id": request_id, "body": body})
    });
    let line =
        json!({"id": format!("batch_{request_id}"), "custom_id": line.custom_id, "response": response, "error": error});
    Answered { line: line.to_string(), well }
}

/// The response, or the error where a call would have had none.
fn outcome(reply: &Reply) -> (Option<HttpResponse>, Option<Value>) {
    match reply.delivery {
        Delivery::ResetBefore | Delivery::ResetMidway | Delivery::Never => (
            None,
            Some(json!({"code": "server_error", "message": "The request was not finished. (An injected fault.)"})),
        ),
        Delivery::Whole | Delivery::OneByteASecond | Delivery::Padded(_) => (Some(reply.response.clone()), None),
    }
}
