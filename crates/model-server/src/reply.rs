//! Replies to chat completion requests, good and bad, in OpenAI's form.

use std::fmt::Display;
use std::iter;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::answers::{Answers, Flaw};
use crate::hash::mix;
use crate::http::HttpResponse;
use crate::request::Request;
use crate::usage::UsageParts;
use crate::{Dialect, Fault};

/// How the bytes of a response are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Whole,
    /// The connection is reset instead.
    ResetBefore,
    /// Half of the response, then a reset.
    ResetMidway,
    Never,
    OneByteASecond,
    /// The body after this number of spaces, which its length includes.
    Padded(usize),
}

pub struct Reply {
    pub response: HttpResponse,
    pub delivery: Delivery,
    pub completion_tokens: u32,
    /// Retry-After of a 429.
    pub retry_after: Option<Duration>,
}

impl From<HttpResponse> for Reply {
    fn from(response: HttpResponse) -> Self {
        Self { response, delivery: Delivery::Whole, completion_tokens: 0, retry_after: None }
    }
}

/// An error response.
#[derive(Debug)]
pub struct ApiError {
    status: &'static str,
    kind: &'static str,
    pub message: String,
    param: Option<&'static str>,
    code: Option<&'static str>,
}

impl ApiError {
    fn new(status: &'static str, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into(), param: None, code: None }
    }

    pub fn invalid(message: impl Into<String>, param: Option<&'static str>) -> Self {
        Self { param, ..Self::new("400 Bad Request", "invalid_request_error", message) }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new("404 Not Found", "invalid_request_error", message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new("409 Conflict", "invalid_request_error", message)
    }

    pub fn too_large() -> Self {
        Self::new("413 Payload Too Large", "invalid_request_error", "The request body is too large.")
    }

    pub fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    pub fn response(self) -> HttpResponse {
        let Self { status, kind, message, param, code } = self;
        HttpResponse::json(status, &json!({"error": {"message": message, "type": kind, "param": param, "code": code}}))
    }
}

/// A request to be answered, with the metadata of the reply.
#[derive(Clone, Copy)]
pub struct Completion<'a> {
    pub request: &'a Request<'a>,
    pub answers: Answers,
    pub seed: u64,
    pub model: &'a str,
    pub prompt_tokens: u32,
    pub usage: UsageParts,
    /// Number of the call, for the reply's id.
    pub number: usize,
}

impl Completion<'_> {
    /// Returns the reply, spoiled by `fault`. `retry_after` is that of an injected 429.
    pub fn reply(&self, fault: Option<Fault>, retry_after: Duration) -> Reply {
        let Some(fault) = fault else { return self.good() };
        let seconds = retry_after.as_secs_f64().ceil() as u64;
        let wait = Duration::from_secs(seconds);
        match fault {
            Fault::ServerError => {
                let message = "The server had an error while processing your request. (An injected fault.)";
                ApiError::new("500 Internal Server Error", "server_error", message).response().into()
            }
            Fault::BadRequest => ApiError::invalid("That cannot be asked here", None).response().into(),
            Fault::ModelMissing => {
                let message = format!("The model `{}` does not exist or you do not have access to it.", self.model);
                ApiError::not_found(message).with_code("model_not_found").response().into()
            }
            Fault::Unauthorized => {
                ApiError::new("401 Unauthorized", "invalid_request_error", "Incorrect API key provided")
                    .with_code("invalid_api_key")
                    .response()
                    .into()
            }
            Fault::InsufficientQuota => {
                let message = "You exceeded your current quota, please check your plan and billing details.";
                ApiError::new("429 Too Many Requests", "insufficient_quota", message)
                    .with_code("insufficient_quota")
                    .response()
                    .into()
            }
            Fault::TooManyRequests => too_many_requests("Rate limit reached.", ("retry-after", seconds), wait),
            Fault::TooManyRequestsUntil => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let until = Duration::from_secs((since + retry_after).as_secs_f64().ceil() as u64);
                let date = httpdate::fmt_http_date(UNIX_EPOCH + until);
                too_many_requests("Rate limit reached.", ("retry-after", date), until.saturating_sub(since))
            }
            Fault::TooManyRequestsReset => {
                let reset = ("x-ratelimit-reset-requests", format!("{seconds}s"));
                let mut reply = too_many_requests("Rate limit reached.", reset, wait);
                reply.response.header("x-ratelimit-limit-requests", 500);
                reply.response.header("x-ratelimit-remaining-requests", 0);
                reply
            }
            Fault::ResetBefore => Reply { delivery: Delivery::ResetBefore, ..self.good() },
            Fault::ResetMidway => Reply { delivery: Delivery::ResetMidway, ..self.good() },
            Fault::Hang => Reply { delivery: Delivery::Never, ..self.good() },
            Fault::SlowBytes => Reply { delivery: Delivery::OneByteASecond, ..self.good() },
            Fault::HugeBody => Reply { delivery: Delivery::Padded(10 << 20), ..self.good() },
            Fault::Html => HttpResponse::html("200 OK").into(),
            Fault::HtmlBadGateway => HttpResponse::html("502 Bad Gateway").into(),
            Fault::InvalidBody => {
                let mut reply = self.good();
                let half = reply.response.body.len() / 2;
                reply.response.body.truncate(half);
                reply
            }
            Fault::InvalidContent => self.answered(Some(Flaw::Prose)),
            Fault::OutOfRange => self.answered(Some(Flaw::OutOfRange)),
            Fault::MissingAnswer => self.answered(Some(Flaw::Missing)),
            Fault::Refusal => {
                let message =
                    json!({"role": "assistant", "content": null, "refusal": "I'm sorry, I can't assist with that."});
                self.chosen(json!([choice(0, &message, "stop")]), 10)
            }
            Fault::Truncated => self.said(self.contents(None).map(|content| {
                let half = tokens(content.len()) / 2;
                cut(content, half)
            })),
            Fault::ContentFilter => self.said(iter::once((String::new(), "content_filter"))),
            Fault::EmptyChoices => self.chosen(json!([]), 0),
            Fault::Redirect => {
                let mut response = HttpResponse::empty("307 Temporary Redirect");
                response.header("location", "/v1/elsewhere/chat/completions");
                response.into()
            }
            Fault::OtherModel => Self { model: "another-model", ..*self }.good(),
        }
    }

    /// Returns the content of each choice. The first does not depend on their number.
    fn contents(&self, flaw: Option<Flaw>) -> impl Iterator<Item = String> {
        (0..self.request.choices).map(move |place| {
            let seed = if place == 0 { self.seed } else { mix(&[self.seed, place]) };
            self.answers.reply(self.request, seed, flaw)
        })
    }

    fn good(&self) -> Reply {
        self.answered(None)
    }

    /// Returns a reply within the tokens that the request allows.
    fn answered(&self, flaw: Option<Flaw>) -> Reply {
        let max_tokens = self.usage.room(self.request.max_tokens.unwrap_or(u32::MAX));
        self.said(self.contents(flaw).map(|content| cut(content, max_tokens)))
    }

    fn said(&self, contents: impl Iterator<Item = (String, &'static str)>) -> Reply {
        let mut sum: u32 = 0;
        let choices = contents.enumerate().map(|(index, (content, finish_reason))| {
            sum = sum.saturating_add(tokens(content.len()));
            choice(index, &json!({"role": "assistant", "content": content, "refusal": null}), finish_reason)
        });
        let choices = choices.collect();
        let max_tokens = self.request.max_tokens.unwrap_or(u32::MAX);
        self.chosen(choices, sum.saturating_add(self.usage.reasoning.min(max_tokens)))
    }

    fn chosen(&self, choices: Value, completion_tokens: u32) -> Reply {
        let Self { model, prompt_tokens, usage, number, .. } = self;
        let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let body = json!({
            "id": format!("chatcmpl-{number}"),
            "object": "chat.completion",
            "created": created,
            "model": model,
            "system_fingerprint": concat!("twinlab-", env!("CARGO_PKG_VERSION")),
            "choices": choices,
            "usage": usage.report(*prompt_tokens, completion_tokens),
        });
        Reply { completion_tokens, ..HttpResponse::json("200 OK", &body).into() }
    }
}

/// Cuts the content to this number of tokens. Returns it with its finish reason.
fn cut(mut content: String, max_tokens: u32) -> (String, &'static str) {
    if tokens(content.len()) <= max_tokens {
        return (content, "stop");
    }
    content.truncate(content.floor_char_boundary(4 * max_tokens as usize));
    (content, "length")
}

fn choice(index: usize, message: &Value, finish_reason: &str) -> Value {
    json!({"index": index, "message": message, "logprobs": null, "finish_reason": finish_reason})
}

/// Estimates the tokens of a text of this size, at four bytes a token.
pub fn tokens(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}

/// A 429 of the server's own limits.
pub fn rate_limited(wait: Duration) -> Reply {
    let seconds = (wait.as_secs_f64().ceil() as u64).max(1);
    let message = format!("Rate limit reached. Please try again in {seconds}s.");
    too_many_requests(&message, ("retry-after", seconds), Duration::from_secs(seconds))
}

pub fn format_refused(wanted: Dialect) -> Reply {
    let name = if wanted == Dialect::JsonSchema { "json_schema" } else { "json_object" };
    let message = format!("Invalid parameter: 'response_format' of type '{name}' is not supported with this model.");
    ApiError::invalid(message, None).response().into()
}

/// The error in OpenAI's words. `param` stays empty, as in many servers.
pub fn parameter_refused(name: &str) -> Reply {
    ApiError::invalid(format!("Unrecognized request argument supplied: {name}"), None).response().into()
}

fn too_many_requests(message: &str, (name, value): (&str, impl Display), wait: Duration) -> Reply {
    let error = ApiError::new("429 Too Many Requests", "requests", message).with_code("rate_limit_exceeded");
    let mut response = error.response();
    response.header(name, value);
    Reply { retry_after: Some(wait), ..response.into() }
}
