//! Files of requests and of results, and OpenAI's uploads.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::{json_ok, seconds};
use crate::error::ApiError;
use crate::http::HttpResponse;
use crate::state::State;

pub(super) fn card(id: &str, bytes: usize) -> Value {
    json!({"id": id, "object": "file", "bytes": bytes, "created_at": seconds(SystemTime::now()), "filename": "batch.jsonl", "purpose": "batch",
        "status": "processed"})
}

fn no_file(id: &str) -> ApiError {
    ApiError::not_found(format!("No such File object: {id}"))
}

pub(super) fn upload(state: &State, content_type: &str, body: &[u8]) -> Result<HttpResponse, ApiError> {
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
    Ok(json_ok(&card(&id, text.len())))
}

/// Returns the parts of a multipart form, by name.
pub(super) fn parts<'a>(body: &'a [u8], boundary: &str) -> Vec<(String, &'a [u8])> {
    let delimiter = format!("\r\n--{boundary}");
    let find = |text: &[u8], what: &[u8]| text.windows(what.len()).position(|window| window == what);
    let mut parts = Vec::new();
    // The first delimiter has no line break before it.
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

/// Finds `what`, which begins with a line break, in a long text. Compares further only at line breaks.
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

pub(super) fn find(state: &State, id: &str) -> Result<Arc<str>, ApiError> {
    state.batches().files.get(id).cloned().ok_or_else(|| no_file(id))
}

pub(super) fn delete(state: &State, id: &str) -> Result<HttpResponse, ApiError> {
    let mut batches = state.batches();
    batches.files.remove(id).ok_or_else(|| no_file(id))?;
    batches.uploaded.retain(|uploaded| uploaded != id);
    Ok(json_ok(&json!({"id": id, "object": "file", "deleted": true})))
}
