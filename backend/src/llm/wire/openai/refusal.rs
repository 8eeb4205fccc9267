//! Reads the refusal of a call.

use reqwest::StatusCode;
use serde_json::Value;

use super::body::limit_parameter;
use super::rate_limits;
use crate::llm::connection::HttpRefusal;
use crate::llm::outcome::{CallError, web_page};
use crate::llm::prompt::{Dialect, ModelParameter, RequestPart, Sampling, Streaming};
use crate::llm::wire::refusal::{Complaint, classify};
use crate::llm::wire::retry_after;
use crate::llm::wire::text::names;

/// Words of a complaint about a parameter, in the servers that do not name it apart.
const UNSUPPORTED: [&str; 7] =
    ["support", "unrecognized", "unknown", "not permitted", "not allowed", "unexpected", "invalid"];

/// The refusal in the terms of the retry policy.
pub fn call_error(refusal: &HttpRefusal) -> CallError {
    let error = ServerError::read(&refusal.body);
    let complaint = Complaint {
        is_about_the_model: error.is_about_the_model(),
        is_about_money: refusal.status == StatusCode::TOO_MANY_REQUESTS && error.is_about_money(),
        is_about_the_key: false,
        retry_after: retry_after::read(&refusal.headers, &rate_limits::read(&refusal.headers), refusal.received_at),
        message: error.message,
    };
    classify(refusal.status, complaint)
}

/// The part of a request in this dialect that the server does not understand. There is no common code for this, but the
/// message names the parameter or, at some servers, the feature.
pub fn refused_part(refusal: &HttpRefusal, sent: Dialect) -> Option<RequestPart> {
    const FORMATS: [&str; 5] = ["response_format", "json_schema", "json_object", "structured output", "json mode"];
    if !matches!(refusal.status.as_u16(), 400 | 422 | 501) {
        return None;
    }
    let body = refusal.body.to_lowercase();
    // OpenAI's refusal of this keyword of a schema also names the format.
    if sent.text_length && names(&body, "maxlength") {
        return Some(RequestPart::TextLength);
    }
    if sent.cache_marks && (names(&body, "prompt_cache_options") || names(&body, "prompt_cache_breakpoint")) {
        return Some(RequestPart::CacheMarks);
    }
    if FORMATS.iter().any(|word| body.contains(word)) {
        return Some(RequestPart::ResponseFormat);
    }
    let stream = match sent.streaming {
        Streaming::WithUsage => names(&body, "stream_options") || names(&body, "stream"),
        Streaming::WithoutUsage => names(&body, "stream"),
        Streaming::Omitted => false,
    };
    if stream {
        return Some(RequestPart::Stream);
    }
    let limit = limit_parameter(sent.reply_limit).filter(|name| names(&body, name));
    let seed = sent.seed && names(&body, "seed");
    limit.map(|_| RequestPart::ReplyLimit).or(seed.then_some(RequestPart::Seed))
}

/// The parameter of this call that the model does not take, or not with this value. OpenAI names it in `param`, others in the
/// path or the words of their complaint.
pub fn refused_parameter(refusal: &HttpRefusal, sent: &Sampling) -> Option<ModelParameter> {
    if !matches!(refusal.status.as_u16(), 400 | 422 | 501) {
        return None;
    }
    let error = ServerError::read(&refusal.body);
    let message = error.message.to_lowercase();
    let is_unsupported = UNSUPPORTED.iter().any(|word| message.contains(word));
    ModelParameter::ALL.into_iter().filter(|parameter| sent.value(*parameter).is_some()).find(|parameter| {
        let name = parameter.name();
        match &error.param {
            Some(param) => param == name,
            None if error.paths.is_empty() => is_unsupported && names(&message, name),
            None => error.paths.iter().any(|path| path == name),
        }
    })
}

/// An error body: OpenAI's format or a variant of it, else the text itself.
#[derive(Default)]
struct ServerError {
    message: String,
    kind: String,
    code: String,
    /// The parameter at fault, in OpenAI's format.
    param: Option<String>,
    /// Names in the paths of the fields at fault, in the format of servers that check by pydantic.
    paths: Vec<String>,
}

impl ServerError {
    fn read(body: &str) -> Self {
        let Ok(json) = serde_json::from_str::<Value>(body) else {
            return Self { message: web_page(body).unwrap_or_else(|| body.to_owned()), ..Self::default() };
        };
        // Google's variant wraps the object in a list.
        let json = json.get(0).unwrap_or(&json);
        let error = json.get("error").unwrap_or(json);
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        let message = error.as_str().map(str::to_owned).or_else(|| text("message")).or_else(|| text("detail"));
        Self {
            message: message.unwrap_or_else(|| json.to_string()),
            kind: text("type").unwrap_or_default(),
            code: text("code").unwrap_or_default(),
            param: text("param"),
            paths: paths_in(error),
        }
    }

    /// OpenAI has a code for it; vLLM, Ollama and others say it in words.
    fn is_about_the_model(&self) -> bool {
        let said = self.message.to_lowercase();
        self.code == "model_not_found"
            || said.contains("model") && (said.contains("not found") || said.contains("does not exist"))
    }

    fn is_about_money(&self) -> bool {
        const CODES: [&str; 4] =
            ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"];
        CODES.iter().any(|known| self.code == *known || self.kind == *known)
    }
}

/// The names in the paths of all complaints.
fn paths_in(error: &Value) -> Vec<String> {
    let complaints = error.get("detail").and_then(Value::as_array).into_iter().flatten();
    let steps = complaints.filter_map(|complaint| complaint.get("loc")?.as_array()).flatten();
    steps.filter_map(Value::as_str).map(str::to_owned).collect()
}
