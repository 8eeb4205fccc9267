//! Anthropic's Message Batches.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::submission::{Submission, submit};
use super::{Batch, Item, WINDOW, cancel, delete, find, is_missed, json_ok, no_batch, page, parameter};
use crate::error::ApiError;
use crate::http::HttpResponse;
use crate::request::Wire;
use crate::state::State;
use crate::wire::timestamp;

const PATH: &str = "/v1/messages/batches";
const MAX_ID: usize = 64;

#[derive(Deserialize)]
struct Form<'a> {
    #[serde(borrow)]
    requests: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    custom_id: String,
    #[serde(borrow)]
    params: &'a RawValue,
}

pub(super) fn route(
    state: &Arc<State>,
    method: &str,
    path: &str,
    query: &str,
    body: &[u8],
) -> Option<Result<HttpResponse, ApiError>> {
    let parts: Vec<&str> = path.split_once(PATH)?.1.split('/').skip(1).collect();
    let shown = |batch: Batch| json_ok(&show(&batch));
    Some(match (method, parts.as_slice()) {
        ("GET", [id, ..]) if is_missed(state) => Err(no_batch(id)),
        ("POST", []) => create(state, body).map(shown),
        ("GET", []) => Ok(list(state, query)),
        ("GET", [id]) => find(state, Wire::Anthropic, id).map(shown),
        ("GET", [id, "results"]) => results(state, id),
        ("POST", [id, "cancel"]) => cancel(state, Wire::Anthropic, id).map(shown),
        ("DELETE", [id]) => {
            delete(state, Wire::Anthropic, id).map(|()| json_ok(&json!({"id": id, "type": "message_batch_deleted"})))
        }
        _ => return None,
    })
}

fn create(state: &Arc<State>, body: &[u8]) -> Result<Batch, ApiError> {
    let form: Form<'_> = serde_json::from_slice(body).map_err(|error| ApiError::unreadable(&error))?;
    let item = |(number, Entry { custom_id, params }): (usize, Entry<'_>)| {
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
        if custom_id.is_empty() || custom_id.len() > MAX_ID || !custom_id.chars().all(is_plain) {
            return Err(format!("requests.{number}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"));
        }
        Ok(Item { id: custom_id, body: params.get().to_owned(), metadata: Value::Null })
    };
    let items = form.requests.into_iter().enumerate().map(item).collect();
    let (input, metadata) = (String::new(), Value::Null);
    submit(state, Submission { wire: Wire::Anthropic, input, metadata, model: None, items })
}

fn results(state: &State, id: &str) -> Result<HttpResponse, ApiError> {
    let batch = find(state, Wire::Anthropic, id)?;
    if !batch.is_over() {
        return Err(ApiError::not_found(format!("The results of {id} are not available yet.")));
    }
    Ok(HttpResponse::lines(batch.results(state).unwrap_or_default().to_string()))
}

pub(super) fn result(item: &Item, (well, body): &(bool, Value)) -> Value {
    let result =
        if *well { json!({"type": "succeeded", "message": body}) } else { json!({"type": "errored", "error": body}) };
    json!({"custom_id": item.id, "result": result})
}

/// The result of a request that was not asked before the batch ended so.
pub(super) fn not_asked(item: &Item, end: &str) -> Value {
    let kind = if end == "cancelled" { "canceled" } else { "expired" };
    json!({"custom_id": item.id, "result": {"type": kind}})
}

/// The counts of single outcomes are zero until the batch has ended.
fn show(batch: &Batch) -> Value {
    let is_over = batch.is_over();
    let count = |number: usize| if is_over { number } else { 0 };
    let left = batch.lines - batch.completed - batch.failed;
    let processing_status = match batch.status {
        "cancelling" => "canceling",
        _ if is_over => "ended",
        _ => "in_progress",
    };
    json!({
        "id": batch.id,
        "type": "message_batch",
        "processing_status": processing_status,
        "request_counts": {
            "processing": if is_over { 0 } else { batch.lines },
            "succeeded": count(batch.completed),
            "errored": count(batch.failed),
            "canceled": if batch.status == "cancelled" { left } else { 0 },
            "expired": if batch.status == "expired" { left } else { 0 },
        },
        "created_at": timestamp(batch.created),
        "expires_at": timestamp(batch.created + WINDOW),
        "ended_at": batch.ended.map(timestamp),
        "cancel_initiated_at": batch.cancelled.map(timestamp),
        "archived_at": null,
        "results_url": is_over.then(|| format!("{PATH}/{}/results", batch.id)),
    })
}

fn list(state: &State, query: &str) -> HttpResponse {
    let (batches, has_more) = page(state, Wire::Anthropic, parameter(query, "limit"), parameter(query, "after_id"));
    let data: Vec<Value> = batches.iter().map(show).collect();
    json_ok(&json!({"data": data, "has_more": has_more,
        "first_id": data.first().map(|batch| &batch["id"]), "last_id": data.last().map(|batch| &batch["id"])}))
}
