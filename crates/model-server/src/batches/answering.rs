//! Answers the lines of a batch one after the other, as calls are answered.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::yield_now;
use tokio::time::sleep;

use super::{Batches, Line};
use crate::BatchFault;
use crate::http::HttpResponse;
use crate::reply::{Delivery, Reply};
use crate::state::{Door, State};

/// Number of lines that are answered before other tasks get their turn.
const LINES_PER_TURN: usize = 50;

/// The result of a line.
struct Answered {
    line: String,
    well: bool,
}

/// Answers the batch's lines and keeps the results.
pub(super) async fn answer(state: Arc<State>, id: String, text: Arc<str>, fault: Option<BatchFault>) {
    sleep(state.batch_faults().delay).await;
    let (mut output, mut errors) = (String::new(), String::new());
    let mut end = "completed";
    for (number, line) in text.lines().enumerate() {
        if number % LINES_PER_TURN == 0 {
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
        // The file was checked at its submission.
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

/// Returns the response, or the error if a call would have had none.
fn outcome(reply: &Reply) -> (Option<HttpResponse>, Option<Value>) {
    match reply.delivery {
        Delivery::ResetBefore | Delivery::ResetMidway | Delivery::Never => (
            None,
            Some(json!({"code": "server_error", "message": "The request was not finished. (An injected fault.)"})),
        ),
        Delivery::Whole | Delivery::OneByteASecond | Delivery::Padded(_) => (Some(reply.response.clone()), None),
    }
}
