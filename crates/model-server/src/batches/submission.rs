//! Submits a batch. The whole file is checked before any line is answered.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::{Batch, Complaint, ENDPOINT, Line, MAX_BATCHES, answering, files, json_ok, now};
use crate::BatchFault;
use crate::answers::DEMO_MODEL;
use crate::http::HttpResponse;
use crate::reply::ApiError;
use crate::state::State;

const MAX_LINES: usize = 50_000;
const BYTES_OF_A_TOKEN: usize = 4;

#[derive(Deserialize)]
struct Submission {
    input_file_id: String,
    endpoint: String,
    completion_window: String,
    #[serde(default)]
    metadata: Value,
}

pub(super) fn submit(state: &Arc<State>, body: &[u8]) -> Result<HttpResponse, ApiError> {
    let submission: Submission = serde_json::from_slice(body).map_err(|error| {
        ApiError::invalid(format!("We could not parse the JSON body of your request: {error}"), None)
    })?;
    if submission.endpoint != ENDPOINT {
        return Err(ApiError::invalid(format!("'endpoint' must be '{ENDPOINT}'."), Some("endpoint")));
    }
    if submission.completion_window != "24h" {
        return Err(ApiError::invalid("'completion_window' must be '24h'.", Some("completion_window")));
    }
    let text = files::find(state, &submission.input_file_id)?;
    let checked = check(&text);
    let faults = state.batch_faults();
    let mut batches = state.batches();
    let fault = faults.script.get(batches.submitted).copied().flatten();
    let tokens = text.len() / BYTES_OF_A_TOKEN;
    let invalid = |message: String| Complaint { code: "invalid_request", message };
    let complaint = match checked {
        Err(ref complaint) => Some(invalid(complaint.clone())),
        Ok(_) if fault == Some(BatchFault::Fails) => {
            Some(invalid("This batch is refused. (An injected fault.)".to_owned()))
        }
        Ok(_) => faults.token_limit.filter(|limit| batches.queued() + tokens > *limit).map(no_room),
    };
    if let (true, Some(Complaint { code, message })) = (faults.refuses_at_once, &complaint) {
        return Err(ApiError::invalid(message, None).with_code(code));
    }
    let batch = Batch {
        id: batches.next_id("batch"),
        status: if complaint.is_some() { "failed" } else { "in_progress" },
        input: submission.input_file_id,
        output: None,
        errors: None,
        metadata: submission.metadata,
        lines: checked.unwrap_or_default(),
        tokens,
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
        tokio::spawn(answering::answer(state.clone(), batch.id.clone(), text, fault));
    }
    Ok(json_ok(&batch.json()))
}

/// The error in OpenAI's words.
fn no_room(limit: usize) -> Complaint {
    let message = format!(
        "Enqueued token limit reached for {DEMO_MODEL} in organization org-demo. Limit: {limit} enqueued tokens. Please try \
         again once some in_progress batches have been completed."
    );
    Complaint { code: "token_limit_exceeded", message }
}

/// Returns the number of lines, or what is wrong with one.
pub(super) fn check(text: &str) -> Result<usize, String> {
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
