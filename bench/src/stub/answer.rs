//! The bytes of every answer, good and bad.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::http;
use super::prompt::Wanted;
use super::shape::Flaw;
use super::{Dialect, Fault};

/// How the bytes are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    Whole,
    /// Reset instead of an answer.
    ResetBefore,
    /// Half of it, then a reset.
    ResetMidway,
    Never,
    OneByteASecond,
    /// [`PADDING`] spaces go between the head and the body, which counts them.
    Padded,
}

pub(super) const PADDING: usize = 10 << 20;

const PROSE: &str = "Well, that is hard to say; it depends on the day.";
const PAGE: &str = "<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>One moment</h1></body></html>";

pub(super) struct Answer {
    pub(super) bytes: Vec<u8>,
    pub(super) delivery: Delivery,
    pub(super) completion_tokens: u32,
    /// How long a 429 told everybody to wait.
    pub(super) wait: Option<Duration>,
}

impl From<Vec<u8>> for Answer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, delivery: Delivery::Whole, completion_tokens: 0, wait: None }
    }
}

/// What a good answer says, and who says it.
pub(super) struct Speaker<'a> {
    /// The name that the answer gives, still escaped.
    pub(super) model: &'a str,
    pub(super) wanted: &'a Wanted,
    /// Decides the answers.
    pub(super) seed: u64,
    pub(super) prompt_tokens: u32,
    /// The call's number, for its id.
    pub(super) number: usize,
}

impl Speaker<'_> {
    pub(super) fn good(&self) -> Answer {
        self.completion(&self.content(None), "stop")
    }

    /// The answer to a call that `fault` strikes. `retry_after` is what 429s ask for.
    pub(super) fn struck(&self, fault: Fault, retry_after: Duration) -> Answer {
        let seconds = retry_after.as_secs_f64().ceil() as u64;
        let whole = Duration::from_secs(seconds);
        match fault {
            Fault::ServerError => error("500 Internal Server Error", "server_error", None, "The server had an error"),
            Fault::BadRequest => error("400 Bad Request", "invalid_request_error", None, "That cannot be asked here"),
            Fault::Unauthorized => error(
                "401 Unauthorized",
                "invalid_request_error",
                Some("invalid_api_key"),
                "Incorrect API key provided",
            ),
            Fault::InsufficientQuota => error(
                "429 Too Many Requests",
                "insufficient_quota",
                Some("insufficient_quota"),
                "You exceeded your current quota, please check your plan and billing details.",
            ),
            Fault::TooManyRequests => too_many(&format!("retry-after: {seconds}\r\n"), whole),
            Fault::TooManyRequestsUntil => {
                let now = SystemTime::now();
                let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
                let until = Duration::from_secs((since + retry_after).as_secs_f64().ceil() as u64);
                let date = httpdate::fmt_http_date(UNIX_EPOCH + until);
                too_many(&format!("retry-after: {date}\r\n"), until.saturating_sub(since))
            }
            Fault::TooManyRequestsReset => {
                let limits = "x-ratelimit-limit-requests: 500\r\nx-ratelimit-remaining-requests: 0\r\n";
                too_many(&format!("{limits}x-ratelimit-reset-requests: {seconds}s\r\n"), whole)
            }
            Fault::ResetBefore => Answer { delivery: Delivery::ResetBefore, ..Vec::new().into() },
            Fault::ResetMidway => Answer { delivery: Delivery::ResetMidway, ..self.good() },
            Fault::Hang => Answer { delivery: Delivery::Never, ..Vec::new().into() },
            Fault::SlowBytes => Answer { delivery: Delivery::OneByteASecond, ..self.good() },
            Fault::Html => http::answer("200 OK", "text/html", "", PAGE).into(),
            Fault::HtmlBadGateway => http::answer("502 Bad Gateway", "text/html", "", PAGE).into(),
            Fault::InvalidBody => {
                http::json("200 OK", "", r#"{"id":"chatcmpl-stub","choices":[{"index":0,"mess"#).into()
            }
            Fault::InvalidContent => self.completion(PROSE, "stop"),
            Fault::OutOfRange => self.completion(&self.content(Some(Flaw::OutOfRange)), "stop"),
            Fault::MissingAnswer => self.completion(&self.content(Some(Flaw::Missing)), "stop"),
            Fault::Refusal => self.envelope(
                json!([{"index": 0, "finish_reason": "stop", "logprobs": null, "message":
                    {"role": "assistant", "content": null, "refusal": "I'm sorry, I can't assist with that."}}]),
                10,
            ),
            Fault::Truncated => {
                let content = self.content(None);
                let half = content.floor_char_boundary(content.len() / 2);
                self.completion(&content[..half], "length")
            }
            Fault::ContentFilter => self.completion("", "content_filter"),
            Fault::EmptyChoices => self.envelope(json!([]), 0),
            Fault::HugeBody => self.padded(),
            Fault::Redirect => {
                http::json("307 Temporary Redirect", "location: /v1/elsewhere/chat/completions\r\n", "").into()
            }
            Fault::OtherModel => Self { model: "another-model", ..*self }.good(),
        }
    }

    fn content(&self, flaw: Option<Flaw>) -> String {
        let mut content = String::new();
        match &self.wanted.shape {
            Some(shape) => shape.write(&mut content, self.seed, flaw),
            None if self.wanted.dialect == Dialect::JsonObject => content.push_str("{}"),
            None => content.push_str(PROSE),
        }
        content
    }

    fn completion(&self, content: &str, finish_reason: &str) -> Answer {
        let tokens = content.len().div_ceil(4) as u32;
        let content = Value::from(content);
        self.envelope_of(
            &format!(
                r#"[{{"index":0,"message":{{"role":"assistant","content":{content},"refusal":null}},"logprobs":null,"finish_reason":"{finish_reason}"}}]"#
            ),
            tokens,
        )
    }

    fn envelope(&self, choices: Value, tokens: u32) -> Answer {
        self.envelope_of(&choices.to_string(), tokens)
    }

    fn envelope_of(&self, choices: &str, completion_tokens: u32) -> Answer {
        let body = self.body(choices, completion_tokens);
        Answer { completion_tokens, ..http::json("200 OK", "", &body).into() }
    }

    fn body(&self, choices: &str, completion_tokens: u32) -> String {
        let Self { model, prompt_tokens, number, .. } = self;
        let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        format!(
            r#"{{"id":"chatcmpl-stub-{number}","object":"chat.completion","created":{created},"model":"{}","system_fingerprint":"fp_stub","choices":{choices},"usage":{{"prompt_tokens":{prompt_tokens},"completion_tokens":{completion_tokens},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":0}}}}}}"#,
            model,
            prompt_tokens + completion_tokens
        )
    }

    /// A good answer that declares [`PADDING`] more bytes than it has; the spaces are written on the way out.
    fn padded(&self) -> Answer {
        let good = self.good();
        let body_at = memchr::memmem::find(&good.bytes, b"\r\n\r\n").map_or(0, |end| end + 4);
        let body = &good.bytes[body_at..];
        let length = body.len() + PADDING;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        Answer { bytes: [head.as_bytes(), body].concat(), delivery: Delivery::Padded, ..good }
    }
}

pub(super) fn rate_limited(wait: Duration) -> Answer {
    let seconds = (wait.as_secs_f64().ceil() as u64).max(1);
    too_many(&format!("retry-after: {seconds}\r\n"), Duration::from_secs(seconds))
}

pub(super) fn format_refused(wanted: Dialect) -> Answer {
    let name = if wanted == Dialect::JsonSchema { "json_schema" } else { "json_object" };
    let message = format!("Invalid parameter: 'response_format' of type '{name}' is not supported with this model.");
    error("400 Bad Request", "invalid_request_error", None, &message)
}

/// As OpenAI says it; `param` stays empty, because many servers leave it so.
pub(super) fn parameter_refused(name: &str) -> Answer {
    error("400 Bad Request", "invalid_request_error", None, &format!("Unrecognized request argument supplied: {name}"))
}

fn too_many(headers: &str, wait: Duration) -> Answer {
    let message = "Rate limit reached for requests";
    let body = error_body("requests", Some("rate_limit_exceeded"), message);
    Answer { wait: Some(wait), ..http::json("429 Too Many Requests", headers, &body).into() }
}

fn error(status: &str, kind: &str, code: Option<&str>, message: &str) -> Answer {
    http::json(status, "", &error_body(kind, code, message)).into()
}

fn error_body(kind: &str, code: Option<&str>, message: &str) -> String {
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}}).to_string()
}
