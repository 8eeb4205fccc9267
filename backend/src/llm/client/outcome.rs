//! Why a call gave no completion, in the terms of the retry policy.

use std::error::Error;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use crate::llm::prompt::{Dialect, RequestPart};

/// The longest error text that is kept, in characters.
const MAX_MESSAGE: usize = 500;
/// How much of an unreadable reply is quoted, in characters, before the key is taken out and the text is cut.
const MAX_QUOTE: usize = 4096;

/// Why a call gave no completion. Messages are one line, at most 500 characters, and never hold the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// 429. `retry_after` as the server gave it.
    #[error("rate limit: {message}")]
    RateLimited { message: String, retry_after: Option<Duration> },
    /// 401, 402, 403 or no quota left: no call will pass before a person acts.
    #[error("access denied: {message}")]
    Denied { message: String },
    /// A later call may pass: 408, 409, 425, 5xx, time-outs, broken connections.
    #[error("{message}")]
    Transient { code: &'static str, message: String, retry_after: Option<Duration> },
    /// Any other status: the same call will be refused again.
    #[error("refused with status {status}: {message}")]
    Rejected { status: u16, message: String },
    /// The server does not know a part of the request. [`Llm::dialect`](super::Llm::dialect) leaves it out from now on:
    /// build the prompt again.
    #[error("the server does not understand a part of the request")]
    NotUnderstood,
    /// A success that is no chat completion: HTML, broken JSON, no choices.
    #[error("{message}")]
    Garbled { message: String },
}

impl CallError {
    /// The code of a call that found no server.
    pub const CONNECT: &str = "connect";

    /// The code of a call for a model that the server does not have, or not yet.
    pub const MODEL_MISSING: &str = "model_missing";

    /// Any request would have failed: nobody was there, or not the model.
    pub fn blames_no_request(&self) -> bool {
        [Self::CONNECT, Self::MODEL_MISSING].contains(&self.code())
    }

    /// A stable word for counts and tables.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "rate_limited",
            Self::Denied { .. } => "denied",
            Self::Transient { code, .. } => code,
            Self::Rejected { .. } => "rejected",
            Self::NotUnderstood => "not_understood",
            Self::Garbled { .. } => "garbled",
        }
    }

    pub(super) fn garbled(message: &str) -> Self {
        Self::Garbled { message: one_line(&format!("not a chat completion: {message}")) }
    }

    /// A success whose body is no reply.
    pub(super) fn unreadable(error: &serde_json::Error, body: &str) -> Self {
        if let Some(message) = web_page(body) {
            return Self::Garbled { message };
        }
        Self::garbled(&format!("{error}: {}", body.chars().take(MAX_QUOTE).collect::<String>()))
    }

    /// No connection, no answer in time, or a connection that broke.
    pub(super) fn from_http(error: &reqwest::Error) -> Self {
        let cause = root_cause(error);
        // First, because connecting can time out too, and then nothing was sent.
        if error.is_connect() {
            Self::transient(Self::CONNECT, &format!("could not connect to the model server: {cause}"))
        } else if error.is_timeout() {
            Self::transient("timeout", "the model server did not answer in time")
        } else {
            Self::transient("connection", &format!("the connection to the model server broke: {cause}"))
        }
    }

    pub(super) fn transient(code: &'static str, message: &str) -> Self {
        Self::Transient { code, message: one_line(message), retry_after: None }
    }

    /// Replaces the key, which some servers repeat in their error texts, and cuts the message.
    pub(super) fn without_key(mut self, key: Option<&str>) -> Self {
        match &mut self {
            Self::RateLimited { message, .. }
            | Self::Denied { message }
            | Self::Transient { message, .. }
            | Self::Rejected { message, .. }
            | Self::Garbled { message } => {
                if let Some(key) = key {
                    *message = message.replace(key, "[key]");
                }
                *message = cut(message);
            }
            Self::NotUnderstood => {}
        }
        self
    }
}

/// A reply whose status is not a success.
#[derive(Debug, thiserror::Error)]
#[error("{status}")]
pub struct HttpRefusal {
    pub status: StatusCode,
    pub retry_after: Option<Duration>,
    /// The beginning of the body, in whatever format.
    pub body: String,
}

impl HttpRefusal {
    pub fn into_call_error(self) -> CallError {
        let retry_after = self.retry_after;
        let error = ServerError::read(&self.body);
        let message = match error.message.is_empty() {
            true => self.status.to_string(),
            false => one_line(&error.message),
        };
        match self.status.as_u16() {
            401..=403 => CallError::Denied { message },
            429 if error.is_about_money() => CallError::Denied { message },
            429 => CallError::RateLimited { message, retry_after },
            404 if error.is_about_the_model() => {
                CallError::Transient { code: CallError::MODEL_MISSING, message, retry_after }
            }
            408 => CallError::Transient { code: "timeout", message, retry_after },
            409 => CallError::Transient { code: "conflict", message, retry_after },
            425 => CallError::Transient { code: "too_early", message, retry_after },
            500.. => CallError::Transient { code: "server_error", message, retry_after },
            status => CallError::Rejected { status, message },
        }
    }

    /// The part of a request in this dialect that the server does not understand. There is no common code for this,
    /// but the message names the parameter or, at some servers, the feature.
    pub fn refused_part(&self, sent: Dialect) -> Option<RequestPart> {
        const FORMATS: [&str; 5] = ["response_format", "json_schema", "json_object", "structured output", "json mode"];
        if !matches!(self.status.as_u16(), 400 | 422 | 501) {
            return None;
        }
        let body = self.body.to_lowercase();
        if FORMATS.iter().any(|word| body.contains(word)) {
            return Some(RequestPart::ResponseFormat);
        }
        let limit = sent.reply_limit.parameter().filter(|name| names(&body, name));
        let seed = sent.seed && names(&body, "seed");
        limit.map(|_| RequestPart::ReplyLimit).or(seed.then_some(RequestPart::Seed))
    }
}

/// Whether the text has the name of this parameter as a word of its own.
fn names(text: &str, parameter: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == parameter)
}

/// An error body: OpenAI's format or a variant of it, else the text itself.
#[derive(Default)]
struct ServerError {
    message: String,
    kind: String,
    code: String,
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

/// Says of a body that is a web page that it is one, with the page's title; `None`: it is none. Gateways answer with pages
/// of their own while the server behind them is away.
fn web_page(body: &str) -> Option<String> {
    const SENT: &str = "the model server sent a web page instead of an answer";
    let lower = body.to_ascii_lowercase();
    let beginning = lower.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if !["<!doctype html", "<html", "<head"].iter().any(|tag| beginning.starts_with(tag)) {
        return None;
    }
    let title = || {
        // The tag may have attributes.
        let tag = lower.find("<title")?;
        let start = tag + lower[tag..].find('>')? + 1;
        let end = start + lower[start..].find("</title")?;
        Some(one_line(&body[start..end])).filter(|title| !title.is_empty())
    };
    Some(title().map_or_else(|| SENT.to_owned(), |title| format!("{SENT} ({title})")))
}

/// The innermost cause, which is the most specific; the outer ones repeat the address.
pub fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// White space and control characters become single spaces. Cut only after the key is replaced, or half a key could stay.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}
