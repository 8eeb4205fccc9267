//! Answers the requests of a batch one after the other, as calls are answered.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tokio::task::yield_now;
use tokio::time::sleep;

use super::{Batch, Batches, Item, anthropic, gemini, openai};
use crate::BatchFault;
use crate::error::{ApiError, ErrorKind};
use crate::http::HttpResponse;
use crate::reply::{Delivery, Reply};
use crate::request::Wire;
use crate::state::{Door, State};
use crate::wire::{self, Endpoint};

/// Number of requests that are answered before other tasks get their turn.
const ITEMS_PER_TURN: usize = 50;

/// Answers the batch's requests and keeps the results.
pub(super) async fn answer(state: Arc<State>, batch: Batch, items: Vec<Item>, fault: Option<BatchFault>) {
    sleep(state.batch_faults().delay).await;
    let (mut output, mut errors) = (String::new(), String::new());
    let (mut end, mut asked) = ("completed", items.len());
    for (number, item) in items.iter().enumerate() {
        if number % ITEMS_PER_TURN == 0 {
            yield_now().await;
            let mut held = state.held.subscribe();
            // A batch may be cancelled while it is held.
            while *held.borrow() && !is_cancelling(&state, &batch.id) {
                let _ = tokio::time::timeout(Duration::from_millis(20), held.changed()).await;
            }
        }
        if is_cancelling(&state, &batch.id) {
            (end, asked) = ("cancelled", number);
            break;
        }
        if fault == Some(BatchFault::Expires(number)) {
            (end, asked) = ("expired", number);
            break;
        }
        let response = respond(&state, &batch, item);
        let response = if batch.wire == Wire::OpenAi { response } else { Some(readable(batch.wire, response)) };
        let well = response.as_ref().is_some_and(|response| response.status_code() == 200);
        let is_lost = matches!(fault, Some(BatchFault::Loses(lines)) if number < lines);
        if !is_lost {
            let is_error = batch.wire == Wire::OpenAi && !well;
            write_line(if is_error { &mut errors } else { &mut output }, &result(&batch, item, number, response));
        }
        if let Some(batch) = state.batches().batch(&batch.id) {
            if well { batch.completed += 1 } else { batch.failed += 1 }
        }
    }
    if batch.wire == Wire::Anthropic {
        // The others leave out what was not asked.
        items[asked..].iter().for_each(|item| write_line(&mut output, &anthropic::not_asked(item, end)));
    }
    let mut batches = state.batches();
    let store = |batches: &mut Batches, text: &str| (!text.is_empty()).then(|| batches.store(text));
    let (output, errors) = (store(&mut batches, &output), store(&mut batches, &errors));
    if let Some(batch) = batches.batch(&batch.id) {
        (batch.status, batch.output, batch.errors) = (end, output, errors);
        batch.ended = Some(SystemTime::now());
    }
}

fn write_line(lines: &mut String, line: &Value) {
    // Writing to a string cannot fail.
    let _ = writeln!(lines, "{line}");
}

fn is_cancelling(state: &State, id: &str) -> bool {
    state.batches().batch(id).is_none_or(|batch| batch.status == "cancelling")
}

/// Returns the response, or `None` if a call would have had none.
fn respond(state: &State, batch: &Batch, item: &Item) -> Option<HttpResponse> {
    let endpoint = Endpoint { wire: batch.wire, model: batch.model.as_deref(), streams: false };
    match state.receive(endpoint, item.body.as_bytes(), Door::Batch) {
        Ok(plan) => {
            let Reply { response, delivery, .. } = &plan.reply;
            let is_finished = !matches!(delivery, Delivery::ResetBefore | Delivery::ResetMidway | Delivery::Never);
            let response = is_finished.then(|| response.clone());
            state.ended(&plan);
            response
        }
        Err(refusal) => Some(refusal),
    }
}

/// Returns the response, or an error instead of none or of one that is no JSON.
fn readable(wire: Wire, response: Option<HttpResponse>) -> HttpResponse {
    let is_json = |response: &HttpResponse| serde_json::from_str::<Value>(&response.body).is_ok();
    response.filter(is_json).unwrap_or_else(|| {
        let unfinished = ApiError::new(ErrorKind::Server, "The request was not finished. (An injected fault.)");
        wire::error(wire, &unfinished)
    })
}

fn result(batch: &Batch, item: &Item, number: usize, response: Option<HttpResponse>) -> Value {
    let read = |response: &HttpResponse| {
        (response.status_code() == 200, serde_json::from_str(&response.body).unwrap_or_default())
    };
    match (batch.wire, response.as_ref().map(read)) {
        (Wire::OpenAi, _) => openai::result(item, number, response),
        (Wire::Anthropic, read) => anthropic::result(item, &read.unwrap_or_default()),
        (Wire::Gemini, read) => gemini::result(item, !batch.input.is_empty(), read.unwrap_or_default()),
    }
}
