//! `streamGenerateContent`.

use serde_json::{Value, json};

use crate::completion::Completion;
use crate::error::ApiError;
use crate::wire::pieces;

/// The data of the events: replies with a piece of the text each. The last ones have the reasons of the end.
pub fn streamed(completion: &Completion<'_>) -> Vec<String> {
    let whole = super::completed(completion);
    let Some(candidates) = whole["candidates"].as_array() else { return vec![whole.to_string()] };
    let mut events = Vec::new();
    for candidate in candidates {
        let index = &candidate["index"];
        let text = candidate["content"]["parts"][0]["text"].as_str().unwrap_or_default();
        for piece in pieces(text) {
            let content = json!({"role": "model", "parts": [{ "text": piece }]});
            events.push(with(&whole, json!({"index": index, "content": content})));
        }
        let mut last = json!({"index": index, "finishReason": candidate["finishReason"]});
        if candidate.get("content").is_some() {
            last["content"] = json!({"role": "model", "parts": [{"text": ""}]});
        }
        events.push(with(&whole, last));
    }
    events
}

/// The data of an event that ends a reply with an error.
pub fn error(error: &ApiError) -> String {
    super::error(error).body
}

fn with(whole: &Value, candidate: Value) -> String {
    let mut event = whole.clone();
    event["candidates"] = json!([candidate]);
    event.to_string()
}
