//! Messages in pieces.

use serde_json::{Value, json};

use crate::completion::Completion;
use crate::error::ApiError;
use crate::wire::pieces;

/// The names and the data of the events.
pub fn streamed(completion: &Completion<'_>) -> Vec<(&'static str, String)> {
    let mut message = super::completed(completion);
    let content = message["content"].take();
    let (stop, details) = (message["stop_reason"].take(), message["stop_details"].take());
    let mut usage = message["usage"].clone();
    message["content"] = json!([]);
    // What the model has written is counted at the end.
    message["usage"]["output_tokens"] = 1.into();
    message["usage"]["output_tokens_details"] = Value::Null;
    let mut events = vec![event("message_start", json!({ "message": message })), event("ping", json!({}))];
    for (index, block) in content.as_array().into_iter().flatten().enumerate() {
        push_block(&mut events, index, block.clone());
    }
    if let Some(usage) = usage.as_object_mut() {
        usage.retain(|name, _| !["service_tier", "cache_creation"].contains(&name.as_str()));
    }
    let delta = json!({"stop_reason": stop, "stop_sequence": null, "stop_details": details});
    events.push(event("message_delta", json!({"delta": delta, "usage": usage})));
    events.push(event("message_stop", json!({})));
    events
}

/// The name and the data of an event that ends a reply with an error.
pub fn error(error: &ApiError) -> (&'static str, String) {
    ("error", super::error(error).body)
}

fn push_block(events: &mut Vec<(&'static str, String)>, index: usize, mut block: Value) {
    let mut deltas = Vec::new();
    match block["type"].as_str() {
        Some("text") => {
            let text = block["text"].take();
            block["text"] = "".into();
            deltas.extend(
                pieces(text.as_str().unwrap_or_default()).map(|piece| json!({"type": "text_delta", "text": piece})),
            );
        }
        Some("tool_use") => {
            let input = block["input"].take().to_string();
            block["input"] = json!({});
            deltas.extend(pieces(&input).map(|piece| json!({"type": "input_json_delta", "partial_json": piece})));
        }
        _ => {
            let signature = block["signature"].take();
            block["signature"] = "".into();
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
        }
    }
    events.push(event("content_block_start", json!({"index": index, "content_block": block})));
    for delta in deltas {
        events.push(event("content_block_delta", json!({"index": index, "delta": delta})));
    }
    events.push(event("content_block_stop", json!({ "index": index })));
}

fn event(name: &'static str, mut data: Value) -> (&'static str, String) {
    data["type"] = name.into();
    (name, data.to_string())
}
