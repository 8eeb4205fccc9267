//! Reads the refusal of a call.

use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::rate_limits;
use crate::llm::connection::HttpRefusal;
use crate::llm::outcome::{CallError, web_page};
use crate::llm::prompt::{Dialect, ModelParameter, RequestPart, ResponseFormat, Sampling, Streaming};
use crate::llm::wire::refusal::{Complaint, ParameterWords, classify, parameter_named};
use crate::llm::wire::retry_after;
use crate::llm::wire::text::names;

/// The words by which Anthropic names a parameter in its complaints.
const WORDS: [ParameterWords; 3] = [
    (ModelParameter::Temperature, &["temperature"]),
    (ModelParameter::ReasoningEffort, &["thinking", "effort", "budget_tokens"]),
    (ModelParameter::ServiceTier, &["service_tier"]),
];

/// The refusal in the terms of the retry policy.
pub fn call_error(refusal: &HttpRefusal) -> CallError {
    let (kind, message) = read(&refusal.body);
    let said = message.to_lowercase();
    let complaint = Complaint {
        is_about_the_model: kind == "not_found_error" && said.contains("model"),
        is_about_money: kind == "billing_error" || said.contains("credit balance"),
        is_about_the_key: false,
        retry_after: wait(&refusal.headers, refusal.received_at),
        message,
    };
    classify(refusal.status, complaint)
}

/// The part of a request in this dialect that the server does not understand: the format, or the schema in it.
pub fn refused_part(refusal: &HttpRefusal, sent: Dialect) -> Option<RequestPart> {
    const FORMATS: [&str; 4] = ["output_config.format", "output_format", "structured output", "json_schema"];
    let said = message_of(refusal)?;
    let is_about_it = sent.format == ResponseFormat::JsonSchema && FORMATS.iter().any(|word| said.contains(word));
    if is_about_it {
        return Some(RequestPart::ResponseFormat);
    }
    (sent.streaming != Streaming::Omitted && names(&said, "stream")).then_some(RequestPart::Stream)
}

/// The parameter of this call that the model does not take, or not with this value.
pub fn refused_parameter(refusal: &HttpRefusal, sent: &Sampling) -> Option<ModelParameter> {
    parameter_named(&message_of(refusal)?, &WORDS, sent)
}

/// The complaint about a request in small letters. `None`: the refusal is about something else.
fn message_of(refusal: &HttpRefusal) -> Option<String> {
    matches!(refusal.status.as_u16(), 400 | 422).then(|| read(&refusal.body).1.to_lowercase())
}

/// The type and the message of an error, which are under `error`. Gateways answer with pages of their own.
fn read(body: &str) -> (String, String) {
    let Ok(json) = serde_json::from_str::<Value>(body) else {
        return (String::new(), web_page(body).unwrap_or_else(|| body.to_owned()));
    };
    let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let message = text("/error/message").unwrap_or_else(|| json.to_string());
    (text("/error/type").unwrap_or_default(), message)
}

/// An error that came inside another reply, with the status that Anthropic gives its type.
pub fn embedded(error: &Value) -> HttpRefusal {
    let kind = error.pointer("/error/type").and_then(Value::as_str).unwrap_or_default();
    let status = match kind {
        "invalid_request_error" => StatusCode::BAD_REQUEST,
        "authentication_error" => StatusCode::UNAUTHORIZED,
        "billing_error" => StatusCode::PAYMENT_REQUIRED,
        "permission_error" => StatusCode::FORBIDDEN,
        "not_found_error" => StatusCode::NOT_FOUND,
        "request_too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "rate_limit_error" => StatusCode::TOO_MANY_REQUESTS,
        "timeout_error" => StatusCode::GATEWAY_TIMEOUT,
        // `overloaded_error` has a status that no other server knows, and stands for a server that is busy.
        "overloaded_error" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    HttpRefusal::embedded(status, error.to_string())
}

fn wait(headers: &HeaderMap, received_at: DateTime<Utc>) -> Option<std::time::Duration> {
    retry_after::read(headers, &rate_limits::read(headers, received_at), received_at)
}
