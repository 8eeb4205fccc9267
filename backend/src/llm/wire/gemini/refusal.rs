//! Reads the refusal of a call.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use crate::llm::connection::HttpRefusal;
use crate::llm::outcome::{CallError, RateLimitHeaders, web_page};
use crate::llm::prompt::{Dialect, ModelParameter, ReplyLimit, RequestPart, ResponseFormat, Sampling};
use crate::llm::wire::refusal::{Complaint, ParameterWords, classify, parameter_named};
use crate::llm::wire::retry_after::{self, duration_from_secs};
use crate::llm::wire::text::names;

/// The words by which Google names a parameter in its complaints.
const WORDS: [ParameterWords; 3] = [
    (ModelParameter::Temperature, &["temperature"]),
    (
        ModelParameter::ReasoningEffort,
        &[
            "thinking",
            "thinkingconfig",
            "thinking_config",
            "thinking_level",
            "thinkinglevel",
            "thinking_budget",
            "budget",
        ],
    ),
    (ModelParameter::ServiceTier, &["servicetier", "service_tier", "tier"]),
];

/// The refusal in the terms of the retry policy.
pub fn call_error(refusal: &HttpRefusal) -> CallError {
    let error = GoogleError::read(&refusal.body);
    let said = error.message.to_lowercase();
    let retry_after = || retry_after::read(&refusal.headers, &RateLimitHeaders::default(), refusal.received_at);
    let complaint = Complaint {
        is_about_the_model: said.contains("model") && (said.contains("not found") || said.contains("does not exist")),
        // No quota of a day is back within the wait of a retry.
        is_about_money: error.quotas.iter().any(|quota| quota.contains("PerDay")) || said.contains("billing"),
        is_about_the_key: error.reasons.iter().any(|reason| reason.starts_with("API_KEY")),
        retry_after: error.retry_delay.or_else(retry_after),
        message: error.message,
    };
    classify(refusal.status, complaint)
}

/// The part of a request in this dialect that the server does not understand.
pub fn refused_part(refusal: &HttpRefusal, sent: Dialect) -> Option<RequestPart> {
    const FORMATS: [&str; 6] =
        ["json mode", "response_schema", "response_json_schema", "responsejsonschema", "response_mime_type", "schema"];
    let said = message_of(refusal)?;
    let has_format = sent.format != ResponseFormat::Plain;
    if has_format && FORMATS.iter().any(|word| said.contains(word)) {
        return Some(RequestPart::ResponseFormat);
    }
    let has_limit = sent.reply_limit != ReplyLimit::Omitted;
    if has_limit && ["maxoutputtokens", "max_output_tokens"].iter().any(|name| names(&said, name)) {
        return Some(RequestPart::ReplyLimit);
    }
    (sent.seed && names(&said, "seed")).then_some(RequestPart::Seed)
}

/// The parameter of this call that the model does not take, or not with this value.
pub fn refused_parameter(refusal: &HttpRefusal, sent: &Sampling) -> Option<ModelParameter> {
    parameter_named(&message_of(refusal)?, &WORDS, sent)
}

/// The complaint about a request in small letters. `None`: the refusal is about something else.
fn message_of(refusal: &HttpRefusal) -> Option<String> {
    let error = GoogleError::read(&refusal.body);
    let is_about_a_request = refusal.status == StatusCode::BAD_REQUEST && error.reasons.is_empty();
    is_about_a_request.then(|| error.message.to_lowercase())
}

/// An error with the details that Google packs into it. Some servers wrap it in a list.
#[derive(Default)]
struct GoogleError {
    message: String,
    /// Why a key or a project was refused.
    reasons: Vec<String>,
    /// The quotas that are used up.
    quotas: Vec<String>,
    retry_delay: Option<Duration>,
}

impl GoogleError {
    fn read(body: &str) -> Self {
        let Ok(json) = serde_json::from_str::<Value>(body) else {
            return Self { message: web_page(body).unwrap_or_else(|| body.to_owned()), ..Self::default() };
        };
        let json = json.get(0).unwrap_or(&json);
        let error = json.get("error").unwrap_or(json);
        let details = || error.get("details").and_then(Value::as_array).into_iter().flatten();
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let violations = details().filter_map(|detail| detail.get("violations")?.as_array()).flatten();
        let delay = details().find_map(|detail| text(detail, "retryDelay"));
        Self {
            message: text(error, "message").unwrap_or_else(|| json.to_string()),
            reasons: details().filter_map(|detail| text(detail, "reason")).collect(),
            quotas: violations.filter_map(|violation| text(violation, "quotaId")).collect(),
            retry_delay: delay.and_then(|delay| duration_from_secs(delay.strip_suffix('s')?.parse().ok()?)),
        }
    }
}

/// An error that came inside another reply. Its code is a status of HTTP, or one of gRPC.
pub fn embedded(error: &Value) -> HttpRefusal {
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()).unwrap_or(13);
    let status = match code {
        3 | 9 | 11 => StatusCode::BAD_REQUEST,
        4 => StatusCode::GATEWAY_TIMEOUT,
        5 => StatusCode::NOT_FOUND,
        7 => StatusCode::FORBIDDEN,
        8 => StatusCode::TOO_MANY_REQUESTS,
        14 => StatusCode::SERVICE_UNAVAILABLE,
        16 => StatusCode::UNAUTHORIZED,
        code => StatusCode::from_u16(code)
            .ok()
            .filter(|status| status.is_client_error() || status.is_server_error())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
    };
    HttpRefusal::embedded(status, serde_json::json!({ "error": error }).to_string())
}
