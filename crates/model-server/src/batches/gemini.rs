//! Gemini's batch mode, with requests in the submission itself or in a file.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::submission::{Submission, submit};
use super::{Batch, Item, cancel, delete, files, find, gemini_files, is_missed, json_ok, no_batch, page, parameter};
use crate::error::ApiError;
use crate::http::{HttpRequest, HttpResponse};
use crate::request::Wire;
use crate::state::State;
use crate::wire::timestamp;

#[derive(Deserialize)]
struct Form<'a> {
    #[serde(borrow)]
    batch: Job<'a>,
}

#[derive(Deserialize)]
struct Job<'a> {
    #[serde(alias = "displayName")]
    display_name: Option<String>,
    #[serde(borrow, alias = "inputConfig")]
    input_config: Input<'a>,
}

#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow)]
    requests: Option<Requests<'a>>,
    #[serde(alias = "fileName")]
    file_name: Option<String>,
}

#[derive(Deserialize)]
struct Requests<'a> {
    #[serde(borrow)]
    requests: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    request: &'a RawValue,
    #[serde(default)]
    metadata: Value,
}

/// A line of a file of requests.
#[derive(Deserialize)]
struct Line<'a> {
    key: String,
    #[serde(borrow)]
    request: &'a RawValue,
}

pub(super) fn route(
    state: &Arc<State>,
    request: &HttpRequest,
    path: &str,
    query: &str,
    body: &[u8],
) -> Option<Result<HttpResponse, ApiError>> {
    if let Some(model) = path.strip_suffix(":batchGenerateContent").and_then(|path| path.rsplit_once("/models/")) {
        return Some(create(state, model.1, body).map(|batch| json_ok(&show(state, &batch))));
    }
    let Some((_, id)) = path.split_once("/batches") else {
        return gemini_files::route(state, request, path, query, body);
    };
    let id = id.trim_start_matches('/');
    Some(match (request.method.as_str(), id.strip_suffix(":cancel")) {
        ("POST", Some(id)) => cancel(state, Wire::Gemini, id).map(|_| json_ok(&json!({}))),
        ("GET", _) if id.is_empty() => Ok(list(state, query)),
        ("GET", _) if is_missed(state) => Err(no_batch(id)),
        ("GET", _) => find(state, Wire::Gemini, id).map(|batch| json_ok(&show(state, &batch))),
        ("DELETE", _) => delete(state, Wire::Gemini, id).map(|()| json_ok(&json!({}))),
        _ => return None,
    })
}

fn create(state: &Arc<State>, model: &str, body: &[u8]) -> Result<Batch, ApiError> {
    let form: Form<'_> = serde_json::from_slice(body).map_err(|error| ApiError::unreadable(&error))?;
    let Job { display_name, input_config } = form.batch;
    let input = input_config.file_name.as_deref().map(|name| name.trim_start_matches("files/").to_owned());
    let items = match (input_config.requests, &input) {
        (Some(requests), None) => Ok(requests.requests.into_iter().map(inline).collect()),
        (None, Some(file)) => {
            let text = files::find(state, file)?;
            (1..).zip(text.lines()).map(line).collect()
        }
        _ => return Err(ApiError::invalid("Exactly one of requests and file_name must be set.", None)),
    };
    let (input, metadata, model) = (input.unwrap_or_default(), Value::from(display_name), Some(model.to_owned()));
    submit(state, Submission { wire: Wire::Gemini, input, metadata, model, items })
}

fn inline(Entry { request, metadata }: Entry<'_>) -> Item {
    let id = metadata["key"].as_str().unwrap_or_default().to_owned();
    Item { id, body: request.get().to_owned(), metadata }
}

fn line((number, text): (usize, &str)) -> Result<Item, String> {
    let Line { key, request } = serde_json::from_str(text).map_err(|error| format!("Line {number}: {error}"))?;
    Ok(Item { id: key, body: request.get().to_owned(), metadata: Value::Null })
}

pub(super) fn result(item: &Item, from_file: bool, (well, mut body): (bool, Value)) -> Value {
    let mut result = if well { json!({"response": body}) } else { json!({"error": body["error"].take()}) };
    if from_file {
        result["key"] = item.id.clone().into();
    } else if !item.metadata.is_null() {
        result["metadata"] = item.metadata.clone();
    }
    result
}

/// The batch as a long-running operation.
fn show(state: &State, batch: &Batch) -> Value {
    let name = format!("batches/{}", batch.id);
    let batch_state = match batch.status {
        "completed" => "SUCCEEDED",
        "failed" => "FAILED",
        "cancelled" => "CANCELLED",
        "expired" => "EXPIRED",
        _ => "RUNNING",
    };
    let left = batch.lines - batch.completed - batch.failed;
    let mut operation = json!({
        "name": name,
        "metadata": {
            "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch",
            "name": name,
            "model": format!("models/{}", batch.model.as_deref().unwrap_or_default()),
            "displayName": batch.metadata,
            "state": format!("BATCH_STATE_{batch_state}"),
            "createTime": timestamp(batch.created),
            "updateTime": timestamp(batch.ended.or(batch.cancelled).unwrap_or(batch.created)),
            "batchStats": {
                "requestCount": batch.lines.to_string(),
                "successfulRequestCount": batch.completed.to_string(),
                "failedRequestCount": batch.failed.to_string(),
                "pendingRequestCount": left.to_string(),
            },
        },
    });
    if let Some(ended) = batch.ended {
        let output = if batch.input.is_empty() {
            let lines = batch.results(state).unwrap_or_default();
            let responses: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            json!({"inlinedResponses": {"inlinedResponses": responses}})
        } else {
            json!({"responsesFile": batch.output.as_ref().map(|id| format!("files/{id}"))})
        };
        operation["metadata"]["endTime"] = timestamp(ended).into();
        operation["metadata"]["output"] = output.clone();
        operation["response"] = output;
        operation["done"] = true.into();
    }
    operation
}

/// The page's token is the id of the last batch on it.
fn list(state: &State, query: &str) -> HttpResponse {
    let (batches, has_more) = page(state, Wire::Gemini, parameter(query, "pageSize"), parameter(query, "pageToken"));
    let operations: Vec<Value> = batches.iter().map(|batch| show(state, batch)).collect();
    let mut body = json!({"operations": operations});
    if has_more && let Some(last) = batches.last() {
        body["nextPageToken"] = last.id.clone().into();
    }
    json_ok(&body)
}
