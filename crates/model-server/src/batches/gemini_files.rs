//! Gemini's files, which are uploaded in a resumable way: a start, then one or several pieces.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::{files, json_ok};
use crate::error::ApiError;
use crate::http::{HttpRequest, HttpResponse};
use crate::state::State;
use crate::wire::timestamp;

pub(super) fn route(
    state: &State,
    request: &HttpRequest,
    path: &str,
    query: &str,
    body: &[u8],
) -> Option<Result<HttpResponse, ApiError>> {
    let id = path.split_once("/files")?.1.trim_start_matches('/');
    Some(match (request.method.as_str(), id) {
        ("POST", "") if path.starts_with("/upload/") => upload(state, request, query, body),
        ("GET", id) if !id.is_empty() => match id.strip_suffix(":download") {
            Some(id) => files::find(state, id).map(|text| HttpResponse::lines(text.to_string())),
            None => files::find(state, id).map(|text| json_ok(&card(id, text.len()))),
        },
        ("DELETE", id) if !id.is_empty() => files::delete(state, id).map(|_| json_ok(&json!({}))),
        _ => return None,
    })
}

fn upload(state: &State, request: &HttpRequest, query: &str, body: &[u8]) -> Result<HttpResponse, ApiError> {
    let Some(id) = super::parameter(query, "upload_id") else {
        let id = state.batches().next_id("upload");
        state.batches().uploads.insert(id.clone(), Vec::new());
        let mut response = json_ok(&json!({}));
        let path = request.path.split('?').next().unwrap_or_default();
        response.header("x-goog-upload-status", "active");
        response.header("x-goog-upload-url", format!("http://{}{path}?upload_id={id}", request.host));
        return Ok(response);
    };
    let mut batches = state.batches();
    let pieces = batches.uploads.get_mut(id).ok_or_else(|| ApiError::not_found(format!("No upload {id}")))?;
    pieces.extend_from_slice(body);
    if !request.upload_command.contains("finalize") {
        let mut response = json_ok(&json!({}));
        response.header("x-goog-upload-status", "active");
        return Ok(response);
    }
    let whole = batches.uploads.remove(id).unwrap_or_default();
    let text = String::from_utf8(whole).map_err(|_| ApiError::invalid("The file is not UTF-8.", None))?;
    let id = batches.store(&text);
    let mut response = json_ok(&json!({"file": card(&id, text.len())}));
    response.header("x-goog-upload-status", "final");
    Ok(response)
}

fn card(id: &str, bytes: usize) -> Value {
    let name = format!("files/{id}");
    json!({"name": name, "mimeType": "application/jsonl", "sizeBytes": bytes.to_string(), "state": "ACTIVE",
        "createTime": timestamp(SystemTime::now()), "source": "UPLOADED"})
}
