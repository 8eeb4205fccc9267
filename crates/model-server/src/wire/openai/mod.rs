//! OpenAI's chat completions.

pub mod stream;

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::cache::has_marks;
use crate::completion::{Choice, Completion, Stop, Usage};
use crate::error::{ApiError, ErrorKind, Wait};
use crate::http::HttpResponse;
use crate::limits::Allowance;
use crate::request::{CacheWish, Format, Life, Part, Request, Role, Stream, Wire, reasoning_tokens};
use crate::tokens::Token;

/// Maximum number of choices of one reply.
const MAX_CHOICES: u64 = 32;
/// Maximum number of tokens whose probabilities are given at each place.
const MAX_LOGPROBS: usize = 20;

#[derive(Deserialize)]
struct Body<'a> {
    model: Option<String>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    response_format: Option<ResponseFormat>,
    max_completion_tokens: Option<u32>,
    max_tokens: Option<u32>,
    n: Option<i64>,
    logprobs: Option<bool>,
    top_logprobs: Option<usize>,
    seed: Option<i64>,
    temperature: Option<f64>,
    reasoning_effort: Option<String>,
    verbosity: Option<String>,
    prompt_cache_options: Option<CacheOptions>,
    prompt_cache_retention: Option<String>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ContentPart<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    prompt_cache_breakpoint: Option<CacheOptions>,
}

#[derive(Deserialize)]
struct CacheOptions {
    mode: Option<String>,
    ttl: Option<String>,
}

#[derive(Deserialize)]
struct ResponseFormat {
    #[serde(rename = "type")]
    kind: String,
    json_schema: Option<Value>,
}

pub fn parse(body: &[u8]) -> Result<Request<'_>, ApiError> {
    let body: Body<'_> = serde_json::from_slice(body).map_err(|error| ApiError::unreadable(&error))?;
    if body.messages.is_empty() {
        return Err(ApiError::invalid("'messages' must hold at least one message.", Some("messages")));
    }
    let streams = body.stream == Some(true);
    if body.stream_options.is_some() && !streams {
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(ApiError::invalid(message, Some("stream_options")));
    }
    let choices = body.n.map_or(Some(1), |n| u64::try_from(n).ok()).filter(|n| (1..=MAX_CHOICES).contains(n));
    let Some(choices) = choices else {
        return Err(ApiError::invalid(format!("'n' must be from 1 to {MAX_CHOICES}."), Some("n")));
    };
    if body.top_logprobs.is_some_and(|top| top > MAX_LOGPROBS || body.logprobs != Some(true)) {
        let message = format!("'top_logprobs' must be at most {MAX_LOGPROBS}, and 'logprobs' true.");
        return Err(ApiError::invalid(message, Some("top_logprobs")));
    }
    let effort = body.reasoning_effort.as_deref().unwrap_or("none");
    let reasoning = reasoning_tokens(effort)
        .ok_or_else(|| ApiError::invalid(format!("Invalid value: '{effort}'."), Some("reasoning_effort")))?;
    let mut parts = Vec::new();
    for (number, message) in body.messages.iter().enumerate() {
        push_parts(&mut parts, number, message)?;
    }
    let model = body.model.unwrap_or_default();
    let options = body.prompt_cache_options.as_ref();
    let cache = CacheWish {
        marks_the_end: has_marks(&model) && options.and_then(|options| options.mode.as_deref()) != Some("explicit"),
        life: match options.and_then(|options| options.ttl.as_deref()) {
            Some(ttl) => life(ttl),
            None => body.prompt_cache_retention.filter(|retention| retention == "24h").map(|_| Life::OneDay),
        },
    };
    let request = Request {
        max_tokens: body.max_completion_tokens.or(body.max_tokens),
        choices,
        top_logprobs: body.logprobs.filter(|wanted| *wanted).map(|_| body.top_logprobs.unwrap_or(0)),
        // At temperature 0 all calls are answered alike.
        temperature: body.temperature,
        seed: body.seed.filter(|_| body.temperature != Some(0.0)),
        reasoning,
        is_wordy: body.verbosity.as_deref() == Some("high"),
        cache,
        stream: streams.then(|| Stream { usage: body.stream_options.is_some_and(|options| options.include_usage) }),
        ..Request::new(Wire::OpenAi, Some(model).filter(|model| !model.is_empty()), parts)
    };
    Ok(request.answer_in(format(body.response_format)?))
}

fn push_parts<'a>(parts: &mut Vec<Part<'a>>, number: usize, message: &Message<'a>) -> Result<(), ApiError> {
    let role = match &*message.role {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        _ => Role::Assistant,
    };
    let Some(content) = message.content.map(RawValue::get) else { return Ok(()) };
    let part = |json, mark| Part { role, message: number, json, mark };
    if !content.starts_with('[') {
        parts.push(part(content, None));
        return Ok(());
    }
    let several: Vec<ContentPart<'a>> = serde_json::from_str(content).map_err(|error| ApiError::unreadable(&error))?;
    for ContentPart { text, prompt_cache_breakpoint } in several {
        let Some(text) = text else { continue };
        let mark = prompt_cache_breakpoint.map(|mark| mark.ttl.as_deref().and_then(life).unwrap_or(Life::HalfAnHour));
        parts.push(part(text.get(), mark));
    }
    Ok(())
}

fn life(ttl: &str) -> Option<Life> {
    match ttl {
        "30m" => Some(Life::HalfAnHour),
        "12h" => Some(Life::TwelveHours),
        _ => None,
    }
}

fn format(wanted: Option<ResponseFormat>) -> Result<Format, ApiError> {
    let Some(ResponseFormat { kind, json_schema }) = wanted else { return Ok(Format::Text) };
    match kind.as_str() {
        "json_schema" => {
            let schema = json_schema.and_then(|mut format| Some(format.get_mut("schema")?.take()));
            schema.filter(Value::is_object).map(Format::Schema).ok_or_else(|| {
                let message = "Missing required parameter: 'response_format.json_schema.schema'.";
                ApiError::invalid(message, Some("response_format"))
            })
        }
        "json_object" => Ok(Format::Json),
        "text" => Ok(Format::Text),
        other => {
            let message =
                format!("Invalid value: '{other}'. Supported values are: 'text', 'json_object', and 'json_schema'.");
            Err(ApiError::invalid(message, Some("response_format")))
        }
    }
}

pub fn completed(completion: &Completion<'_>) -> Value {
    let Completion { model, number, choices, usage, has_cache, tokens, .. } = completion;
    let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let choices: Vec<Value> =
        choices.iter().enumerate().map(|(index, given)| choice(index, given, tokens.get(index))).collect();
    json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion",
        "created": created,
        "model": model,
        "system_fingerprint": concat!("twinlab-", env!("CARGO_PKG_VERSION")),
        "choices": choices,
        "usage": usage_of(usage, *has_cache),
    })
}

pub fn usage_of(usage: &Usage, has_cache: bool) -> Value {
    let mut tokens = json!({
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion(),
        "total_tokens": usage.prompt.saturating_add(usage.completion()),
        "prompt_tokens_details": { "cached_tokens": usage.cache.read },
    });
    if has_cache {
        tokens["prompt_tokens_details"]["cache_write_tokens"] = usage.cache.written().into();
    }
    if usage.reasoning > 0 {
        tokens["completion_tokens_details"] = json!({ "reasoning_tokens": usage.reasoning });
    }
    tokens
}

fn choice(index: usize, Choice { text, stop }: &Choice, tokens: Option<&Vec<Token>>) -> Value {
    let (content, refusal) = if *stop == Stop::Refused { (None, Some(text)) } else { (Some(text), None) };
    let finish_reason = finish_reason(*stop);
    let message = json!({"role": "assistant", "content": content, "refusal": refusal});
    json!({"index": index, "message": message, "logprobs": tokens.map(|tokens| logprobs(tokens)), "finish_reason": finish_reason})
}

pub fn finish_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Finished | Stop::Refused => "stop",
        Stop::Length => "length",
        Stop::Filtered => "content_filter",
    }
}

fn entry(text: &str, probability: f64) -> Value {
    json!({"token": text, "logprob": probability.ln(), "bytes": text.as_bytes()})
}

fn logprobs(tokens: &[Token]) -> Value {
    let content = tokens.iter().map(|token| {
        let mut given = entry(&token.text, token.probability);
        let others = token.alternatives.iter().map(|(text, probability)| entry(text, *probability));
        given["top_logprobs"] = others.collect();
        given
    });
    json!({"content": content.collect::<Vec<Value>>(), "refusal": null})
}

pub fn error(error: &ApiError) -> HttpResponse {
    let (status, kind, code) = match error.kind {
        ErrorKind::Invalid => ("400 Bad Request", "invalid_request_error", None),
        ErrorKind::Unauthorized => ("401 Unauthorized", "invalid_request_error", Some("invalid_api_key")),
        ErrorKind::QuotaUsedUp => ("429 Too Many Requests", "insufficient_quota", Some("insufficient_quota")),
        ErrorKind::NotFound => ("404 Not Found", "invalid_request_error", None),
        ErrorKind::ModelMissing => ("404 Not Found", "invalid_request_error", Some("model_not_found")),
        ErrorKind::Conflict => ("409 Conflict", "invalid_request_error", None),
        ErrorKind::TooLarge => ("413 Payload Too Large", "invalid_request_error", None),
        ErrorKind::TooManyRequests => ("429 Too Many Requests", "requests", Some("rate_limit_exceeded")),
        ErrorKind::Server => ("500 Internal Server Error", "server_error", None),
        ErrorKind::Overloaded => ("503 Service Unavailable", "server_error", None),
    };
    let ApiError { message, param, code: own_code, wait, .. } = error;
    let code = own_code.or(code);
    let body = json!({"error": {"message": message, "type": kind, "param": param, "code": code}});
    let mut response = HttpResponse::json(status, &body);
    match wait {
        Some(Wait::Seconds(seconds)) => response.header("retry-after", seconds),
        Some(Wait::Until(time, _)) => response.header("retry-after", httpdate::fmt_http_date(*time)),
        Some(Wait::Reset(seconds)) => {
            response.header("x-ratelimit-reset-requests", format!("{seconds}s"));
            response.header("x-ratelimit-limit-requests", 500);
            response.header("x-ratelimit-remaining-requests", 0);
        }
        None => {}
    }
    response
}

pub fn add_limit_headers(response: &mut HttpResponse, allowance: &Allowance) {
    let Allowance { name, limit, remaining, until_full } = allowance;
    response.header(&format!("x-ratelimit-limit-{name}"), limit);
    response.header(&format!("x-ratelimit-remaining-{name}"), remaining);
    response.header(&format!("x-ratelimit-reset-{name}"), duration(until_full.as_secs_f64()));
}

pub fn model_card(model: &str, listed: bool) -> Value {
    let card = json!({"id": model, "object": "model", "created": 0, "owned_by": "twinlab"});
    if listed { json!({"object": "list", "data": [card]}) } else { card }
}

/// Writes a duration as OpenAI does: `12ms`, `1.5s`, `6m0s`.
fn duration(seconds: f64) -> String {
    let milliseconds = (seconds * 1_000.0).ceil().max(0.0) as u64;
    let seconds = (milliseconds % 60_000) as f64 / 1_000.0;
    match milliseconds {
        0..1_000 => format!("{milliseconds}ms"),
        1_000..60_000 => format!("{seconds}s"),
        _ => format!("{}m{seconds}s", milliseconds / 60_000),
    }
}

#[cfg(test)]
mod tests;
