//! Anthropic's Messages.

mod parse;
pub mod stream;

use std::time::SystemTime;

use serde_json::{Value, json};

use super::timestamp;
use crate::completion::{Completion, Stop};
use crate::error::{ApiError, ErrorKind, Wait};
use crate::http::HttpResponse;
use crate::limits::Allowance;

pub use parse::parse;

pub fn completed(completion: &Completion<'_>) -> Value {
    let Completion { request, model, number, choices, usage, in_batch, .. } = completion;
    let mut content = Vec::new();
    if usage.reasoning > 0 {
        content.push(json!({"type": "thinking", "thinking": "", "signature": format!("signature-{number}")}));
    }
    let first = choices.first();
    let stop = first.map_or(Stop::Finished, |choice| choice.stop);
    let text = first.map(|choice| choice.text.as_str()).filter(|text| !text.is_empty() && !is_refusal(stop));
    let arguments = request.tool.as_ref().zip(text.and_then(|text| serde_json::from_str::<Value>(text).ok()));
    let called = arguments.is_some();
    match (arguments, text) {
        (Some((name, input)), _) => {
            content.push(json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": input}));
        }
        (None, Some(text)) => content.push(json!({"type": "text", "text": text, "citations": null})),
        (None, None) => {}
    }
    let stop_reason = match stop {
        Stop::Finished if called => "tool_use",
        Stop::Finished => "end_turn",
        Stop::Length => "max_tokens",
        Stop::Filtered | Stop::Refused => "refusal",
    };
    let stop_details = is_refusal(stop).then(|| {
        let category = (stop == Stop::Filtered).then_some("general_harms");
        json!({"type": "refusal", "category": category, "explanation": first.map(|choice| &choice.text)})
    });
    let cache = usage.cache;
    json!({
        "id": format!("msg_{number}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "stop_details": stop_details,
        "usage": {
            "input_tokens": usage.prompt.saturating_sub(cache.read).saturating_sub(cache.written()),
            "cache_creation_input_tokens": cache.written(),
            "cache_read_input_tokens": cache.read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": cache.written_short,
                "ephemeral_1h_input_tokens": cache.written_long,
            },
            "output_tokens": usage.completion(),
            "output_tokens_details": { "thinking_tokens": usage.reasoning },
            "service_tier": if *in_batch { "batch" } else { "standard" },
        },
    })
}

fn is_refusal(stop: Stop) -> bool {
    matches!(stop, Stop::Filtered | Stop::Refused)
}

pub fn error(error: &ApiError) -> HttpResponse {
    let (status, kind) = match error.kind {
        ErrorKind::Invalid | ErrorKind::Conflict => ("400 Bad Request", "invalid_request_error"),
        ErrorKind::Unauthorized => ("401 Unauthorized", "authentication_error"),
        ErrorKind::QuotaUsedUp => ("402 Payment Required", "billing_error"),
        ErrorKind::NotFound | ErrorKind::ModelMissing => ("404 Not Found", "not_found_error"),
        ErrorKind::TooLarge => ("413 Payload Too Large", "request_too_large"),
        ErrorKind::TooManyRequests => ("429 Too Many Requests", "rate_limit_error"),
        ErrorKind::Server => ("500 Internal Server Error", "api_error"),
        ErrorKind::Overloaded => ("529 Overloaded", "overloaded_error"),
    };
    let message = match error.kind {
        ErrorKind::Unauthorized => "invalid x-api-key",
        ErrorKind::QuotaUsedUp => "Your credit balance is too low to access the Anthropic API.",
        ErrorKind::Overloaded => "Overloaded",
        _ => &error.message,
    };
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_0"});
    let mut response = HttpResponse::json(status, &body);
    response.header("request-id", "req_0");
    match error.wait {
        Some(Wait::Seconds(seconds)) => response.header("retry-after", seconds),
        Some(Wait::Until(time, _)) => response.header("retry-after", httpdate::fmt_http_date(time)),
        Some(wait @ Wait::Reset(_)) => {
            let allowance = Allowance { name: "requests", limit: 500, remaining: 0.0, until_full: wait.duration() };
            add_limit_headers(&mut response, &allowance, SystemTime::now());
        }
        None => {}
    }
    response
}

/// Tokens of prompts have headers of their own beside those of all tokens.
pub fn add_limit_headers(response: &mut HttpResponse, allowance: &Allowance, now: SystemTime) {
    let names: &[&str] = if allowance.name == "tokens" { &["tokens", "input-tokens"] } else { &[allowance.name] };
    for name in names {
        response.header(&format!("anthropic-ratelimit-{name}-limit"), allowance.limit);
        response.header(&format!("anthropic-ratelimit-{name}-remaining"), allowance.remaining);
        response.header(&format!("anthropic-ratelimit-{name}-reset"), timestamp(now + allowance.until_full));
    }
}

pub fn model_card(model: &str, listed: bool) -> Value {
    let card = json!({"type": "model", "id": model, "display_name": model, "created_at": "1970-01-01T00:00:00Z",
        "lifecycle": "active"});
    if listed { json!({"data": [card], "has_more": false, "first_id": model, "last_id": model}) } else { card }
}

#[cfg(test)]
mod tests;
