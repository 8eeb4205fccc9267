//! Submits a batch. All its requests are checked before any is answered.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::{Batch, Complaint, Item, MAX_BATCHES, answering};
use crate::BatchFault;
use crate::answers::DEMO_MODEL;
use crate::error::{ApiError, ErrorKind};
use crate::request::Wire;
use crate::state::State;

const MAX_ITEMS: usize = 50_000;
const BYTES_OF_A_TOKEN: usize = 4;

/// A batch as it is submitted.
pub(super) struct Submission {
    pub wire: Wire,
    /// The file of requests, if they came in one.
    pub input: String,
    pub metadata: Value,
    pub model: Option<String>,
    /// The requests, or what is wrong with one.
    pub items: Result<Vec<Item>, String>,
}

pub(super) fn submit(state: &Arc<State>, submission: Submission) -> Result<Batch, ApiError> {
    let Submission { wire, input, metadata, model, items } = submission;
    let checked = items.and_then(check);
    let bytes: usize = checked.iter().flatten().map(|item| item.body.len()).sum();
    let tokens = bytes / BYTES_OF_A_TOKEN;
    let faults = state.batch_faults();
    let mut batches = state.batches();
    let fault = faults.script.get(batches.submitted).copied().flatten();
    let invalid = |message: String| Complaint { code: "invalid_request", message };
    let complaint = match &checked {
        Err(complaint) => Some(invalid(complaint.clone())),
        Ok(_) if fault == Some(BatchFault::Fails) => {
            Some(invalid("This batch is refused. (An injected fault.)".to_owned()))
        }
        Ok(_) => faults.token_limit.filter(|limit| batches.queued() + tokens > *limit).map(no_room),
    };
    // Only OpenAI takes a batch that it will not answer.
    if let (true, Some(Complaint { code, message })) = (faults.refuses_at_once || wire != Wire::OpenAi, &complaint) {
        let has_room = *code != "token_limit_exceeded" || wire == Wire::OpenAi;
        let kind = if has_room { ErrorKind::Invalid } else { ErrorKind::TooManyRequests };
        return Err(ApiError::new(kind, message).with_code(code));
    }
    let items = checked.unwrap_or_default();
    let batch = Batch {
        wire,
        id: batches.next_id(if wire == Wire::Anthropic { "msgbatch" } else { "batch" }),
        status: if complaint.is_some() { "failed" } else { "in_progress" },
        input,
        output: None,
        errors: None,
        metadata,
        model,
        lines: items.len(),
        tokens,
        completed: 0,
        failed: 0,
        complaint,
        created: SystemTime::now(),
        cancelled: None,
        ended: None,
        deleted: false,
    };
    batches.submitted += 1;
    batches.batches.push(batch.clone());
    if batches.batches.len() > MAX_BATCHES {
        batches.batches.remove(0);
    }
    drop(batches);
    if !batch.is_over() {
        tokio::spawn(answering::answer(state.clone(), batch.clone(), items, fault));
    }
    Ok(batch)
}

/// The error in OpenAI's words.
fn no_room(limit: usize) -> Complaint {
    let message = format!(
        "Enqueued token limit reached for {DEMO_MODEL} in organization org-demo. Limit: {limit} enqueued tokens. Please try \
         again once some in_progress batches have been completed."
    );
    Complaint { code: "token_limit_exceeded", message }
}

/// Returns the requests if their ids differ, or what is wrong.
pub(super) fn check(items: Vec<Item>) -> Result<Vec<Item>, String> {
    let mut ids = HashSet::new();
    // Gemini's requests may have no ids.
    let named = (1..).zip(&items).filter(|(_, item)| !item.id.is_empty());
    for (number, item) in named {
        if !ids.insert(item.id.as_str()) {
            return Err(format!("Line {number}: its custom_id is used before."));
        }
    }
    match items.len() {
        0 => Err("The file holds no request.".to_owned()),
        many if many > MAX_ITEMS => Err(format!("The file holds more than {MAX_ITEMS} requests.")),
        _ => Ok(items),
    }
}
