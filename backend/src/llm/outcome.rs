//! Outcome of a call, in no provider's words: a completion, or an error in the terms of the retry policy.

use std::error::Error;
use std::time::Duration;

use super::prompt::ModelParameter;
use super::without_key::KEY;

/// The outcome of one call.
#[derive(Debug)]
pub struct CallOutcome {
    pub result: Result<Completion, CallError>,
    /// Limits in the headers of the reply, whatever its status; all `None` if no reply came.
    pub rate_limits: RateLimitHeaders,
}

/// A model's reply, its token counts and its latency.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    pub content: Option<String>,
    /// The model's own refusal, if the server separates it from content.
    pub refusal: Option<String>,
    pub stop_reason: StopReason,
    /// The stop reason in the provider's word.
    pub finish_reason: Option<String>,
    /// The model that the server reports; the requested one if it reports none.
    pub model: String,
    pub fingerprint: Option<String>,
    pub usage: TokenUsage,
    /// The contents of further replies to the same prompt that are whole.
    pub further: Vec<String>,
    /// The tokens of the content with their alternatives, if the prompt asked for probabilities.
    pub tokens: Vec<ReplyToken>,
    /// A parameter of the prompt that the server took without effect, and without which the reply is not what the run asks for.
    pub ignored: Option<ModelParameter>,
    /// `None`: the reply came with a batch.
    pub latency: Option<Duration>,
}

/// A token of a reply, and the probabilities of the tokens that the model could have written in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyToken {
    pub text: String,
    pub alternatives: Vec<(String, f64)>,
}

impl Completion {
    /// Cut off by the token limit: what is there may be half an answer.
    pub fn is_truncated(&self) -> bool {
        self.stop_reason == StopReason::TokenLimit
    }

    /// Refused by the model or held back by the server's filter.
    pub fn is_refused(&self) -> bool {
        is_refused(self.refusal.as_deref(), self.stop_reason)
    }
}

/// Whether a reply was refused by the model or held back by the server's filter.
pub fn is_refused(refusal: Option<&str>, stop_reason: StopReason) -> bool {
    refusal.is_some_and(|refusal| !refusal.trim().is_empty()) || stop_reason == StopReason::Filter
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The reply is whole, or the provider does not say otherwise.
    Finished,
    /// The reply was cut off by the token limit.
    TokenLimit,
    /// The provider's filter held the reply back.
    Filter,
}

/// Token counts of the server; estimates where it gives none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    pub prompt: u32,
    /// The part of `prompt` that came from the server's cache.
    pub cached: u32,
    /// The part of `prompt` that the server wrote to its cache.
    pub cache_write: u32,
    pub completion: u32,
    /// The part of `completion` that the model spent on reasoning.
    pub reasoning: u32,
}

/// The rate limits that a server reports with a reply. `None` where it reports none.
///
/// Servers do not say which window a limit belongs to: a minute at OpenAI, a day for requests at some others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimitHeaders {
    /// Requests allowed in a window; never 0.
    pub limit_requests: Option<u32>,
    /// Tokens allowed in a window; never 0.
    pub limit_tokens: Option<u32>,
    /// Requests left of the limit after this reply.
    pub remaining_requests: Option<u32>,
    /// Tokens left of the limit after this reply.
    pub remaining_tokens: Option<u32>,
    /// Time from this reply until all requests of the limit are available again, at most a day.
    pub reset_requests: Option<Duration>,
    /// Time from this reply until all tokens of the limit are available again, at most a day.
    pub reset_tokens: Option<Duration>,
}

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
    /// The model does not take a parameter of the run, or not with this value. The message says who says so.
    #[error("{message}")]
    ParameterRefused { parameter: ModelParameter, message: String },
    /// A success that is no completion: HTML, broken JSON, no choices.
    #[error("{message}")]
    Garbled { message: String },
}

impl CallError {
    /// The code of a call that found no server.
    pub const CONNECT: &str = "connect";

    /// The code of a call for a model that the server does not have, or not yet.
    pub const MODEL_MISSING: &str = "model_missing";

    /// The code of a call whose answer did not come in time.
    pub const TIMEOUT: &str = "timeout";

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
            Self::ParameterRefused { .. } => "parameter_refused",
            Self::Garbled { .. } => "garbled",
        }
    }

    pub fn garbled(message: &str) -> Self {
        Self::Garbled { message: one_line(&format!("not a chat completion: {message}")) }
    }

    /// A success whose body is no reply.
    pub fn unreadable(error: &serde_json::Error, body: &str) -> Self {
        if let Some(message) = web_page(body) {
            return Self::Garbled { message };
        }
        Self::garbled(&format!("{error}: {}", body.chars().take(MAX_QUOTE).collect::<String>()))
    }

    /// No connection, no answer in time, or a connection that broke.
    pub fn from_http(error: &reqwest::Error) -> Self {
        let cause = root_cause(error);
        // First, because connecting can time out too, and then nothing was sent.
        if error.is_connect() {
            Self::transient(Self::CONNECT, &format!("could not connect to the model server: {cause}"))
        } else if error.is_timeout() {
            Self::transient(Self::TIMEOUT, "the model server did not answer in time")
        } else {
            Self::transient("connection", &format!("the connection to the model server broke: {cause}"))
        }
    }

    /// No part of an answer came within this time.
    pub fn late(limit: Duration) -> Self {
        Self::transient(
            Self::TIMEOUT,
            &format!("the model server did not begin to answer within {} s", limit.as_secs_f64()),
        )
    }

    /// The model server began to answer, and then sent nothing for this time.
    pub fn silent(limit: Duration) -> Self {
        let limit = limit.as_secs_f64();
        Self::transient(
            Self::TIMEOUT,
            &format!("the model server sent nothing for {limit} s in the middle of its answer"),
        )
    }

    /// A streamed reply without its end.
    pub fn cut_off() -> Self {
        Self::transient("connection", "the model server ended its answer in the middle")
    }

    pub fn transient(code: &'static str, message: &str) -> Self {
        Self::Transient { code, message: one_line(message), retry_after: None }
    }

    /// Replaces the key, which some servers repeat in their error texts, and cuts the message.
    pub fn without_key(mut self, key: Option<&str>) -> Self {
        match &mut self {
            Self::RateLimited { message, .. }
            | Self::Denied { message }
            | Self::Transient { message, .. }
            | Self::Rejected { message, .. }
            | Self::ParameterRefused { message, .. }
            | Self::Garbled { message } => {
                if let Some(key) = key {
                    *message = message.replace(key, KEY);
                }
                *message = cut(message);
            }
            Self::NotUnderstood => {}
        }
        self
    }
}

/// Describes a body that is a web page, with the page's title; `None`: it is no web page. Gateways answer with pages of
/// their own while the server behind them is away.
pub fn web_page(body: &str) -> Option<String> {
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
pub fn one_line(text: &str) -> String {
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
