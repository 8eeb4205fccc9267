//! OpenAI's Batch API: uploaded files of requests, and files of results.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::submission::{Submission, submit};
use super::{
    Batch, Complaint, Item, WINDOW, cancel, files, find, is_missed, json_ok, no_batch, page, parameter, seconds,
};
use crate::error::ApiError;
use crate::http::{HttpRequest, HttpResponse};
use crate::request::Wire;
use crate::state::State;

pub(super) const ENDPOINT: &str = "/v1/chat/completions";

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
struct Form {
    input_file_id: String,
    endpoint: String,
    completion_window: String,
    #[serde(default)]
    metadata: Value,
}

pub(super) fn route(
    state: &Arc<State>,
    request: &HttpRequest,
    path: &str,
    query: &str,
    body: &[u8],
) -> Option<Result<HttpResponse, ApiError>> {
    let (kind, rest) = ["/files", "/batches"].into_iter().find_map(|kind| Some((kind, path.split_once(kind)?.1)))?;
    let parts: Vec<&str> = rest.split('/').skip(1).collect();
    let shown = |batch: Batch| json_ok(&show(&batch));
    Some(match (kind, request.method.as_str(), parts.as_slice()) {
        (_, "GET", [id, ..]) if is_missed(state) => Err(no_batch(id)),
        ("/files", "POST", []) => files::upload(state, &request.content_type, body),
        ("/files", "GET", [id]) => files::find(state, id).map(|text| json_ok(&files::card(id, text.len()))),
        ("/files", "GET", [id, "content"]) => files::find(state, id).map(|text| HttpResponse::lines(text.to_string())),
        ("/files", "DELETE", [id]) => files::delete(state, id),
        ("/batches", "POST", []) => create(state, body).map(shown),
        ("/batches", "GET", []) => Ok(list(state, query)),
        ("/batches", "GET", [id]) => find(state, Wire::OpenAi, id).map(shown),
        ("/batches", "POST", [id, "cancel"]) => cancel(state, Wire::OpenAi, id).map(shown),
        _ => return None,
    })
}

fn create(state: &Arc<State>, body: &[u8]) -> Result<Batch, ApiError> {
    let form: Form = serde_json::from_slice(body).map_err(|error| ApiError::unreadable(&error))?;
    if form.endpoint != ENDPOINT {
        return Err(ApiError::invalid(format!("'endpoint' must be '{ENDPOINT}'."), Some("endpoint")));
    }
    if form.completion_window != "24h" {
        return Err(ApiError::invalid("'completion_window' must be '24h'.", Some("completion_window")));
    }
    let items = items(&files::find(state, &form.input_file_id)?);
    let Form { input_file_id: input, metadata, .. } = form;
    submit(state, Submission { wire: Wire::OpenAi, input, metadata, model: None, items })
}

/// Reads the requests of a file, or says what is wrong with one.
pub(super) fn items(text: &str) -> Result<Vec<Item>, String> {
    let item = |(number, line): (usize, &str)| {
        let line: Line<'_> = serde_json::from_str(line).map_err(|error| format!("Line {number}: {error}"))?;
        if line.method != "POST" || line.url != ENDPOINT {
            return Err(format!("Line {number}: every request must be POST {ENDPOINT}."));
        }
        Ok(Item { id: line.custom_id, body: line.body.get().to_owned(), metadata: Value::Null })
    };
    (1..).zip(text.lines()).map(item).collect()
}

pub(super) fn result(item: &Item, number: usize, response: Option<HttpResponse>) -> Value {
    let request_id = format!("req-{number}");
    let error = response
        .is_none()
        .then(|| json!({"code": "server_error", "message": "The request was not finished. (An injected fault.)"}));
    let response = response.map(|response| {
        let body = serde_json::from_str(&response.body).unwrap_or_else(|_| Value::from(response.body.clone()));
        json!({"status_code": response.status_code(), "request_id": request_id, "body": body})
    });
    json!({"id": format!("batch_{request_id}"), "custom_id": item.id, "response": response, "error": error})
}

fn show(batch: &Batch) -> Value {
    let errors = batch.complaint.as_ref().map(|Complaint { code, message }| {
        json!({"object": "list", "data": [{"code": code, "message": message, "param": null, "line": null}]})
    });
    json!({
        "id": batch.id,
        "object": "batch",
        "endpoint": ENDPOINT,
        "errors": errors,
        "input_file_id": batch.input,
        "completion_window": "24h",
        "status": batch.status,
        "output_file_id": batch.output,
        "error_file_id": batch.errors,
        "created_at": seconds(batch.created),
        "expires_at": seconds(batch.created + WINDOW),
        "request_counts": {"total": batch.lines, "completed": batch.completed, "failed": batch.failed},
        "metadata": batch.metadata,
    })
}

pub(super) fn list(state: &State, query: &str) -> HttpResponse {
    let (batches, has_more) = page(state, Wire::OpenAi, parameter(query, "limit"), parameter(query, "after"));
    let data: Vec<Value> = batches.iter().map(show).collect();
    json_ok(&json!({"object": "list", "data": data, "has_more": has_more,
        "first_id": data.first().map(|batch| &batch["id"]), "last_id": data.last().map(|batch| &batch["id"])}))
}
