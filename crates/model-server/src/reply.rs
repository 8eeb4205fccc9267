//! Replies to requests for completions, good and bad. The wire of the request gives them their form.

use std::iter;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::answers::{Answers, Flaw};
use crate::completion::{CacheUse, Choice, Completion, Stop, Usage, tokens};
use crate::error::{ApiError, ErrorKind, Wait};
use crate::http::HttpResponse;
use crate::request::{Request, Wire};
use crate::{Dialect, Fault, wire};

/// How the bytes of a response are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Whole,
    /// The connection is reset instead.
    ResetBefore,
    /// Half of the response, then a reset.
    ResetMidway,
    Never,
    /// Half of the response, then nothing more.
    SilentMidway,
    OneByteASecond,
    /// The head, then one event of the body after the other, with this time between two.
    Paced(Duration),
    /// The body after this number of spaces, which its length includes.
    Padded(usize),
}

/// The data of an event that is none.
const GARBAGE: &str = "{\"choices\": [";

pub struct Reply {
    pub response: HttpResponse,
    pub delivery: Delivery,
    pub usage: Usage,
    /// Wait that a 429 asks for.
    pub retry_after: Option<Duration>,
}

impl From<HttpResponse> for Reply {
    fn from(response: HttpResponse) -> Self {
        Self { response, delivery: Delivery::Whole, usage: Usage::default(), retry_after: None }
    }
}

impl Reply {
    pub fn error(wire: Wire, error: &ApiError) -> Self {
        Self { retry_after: error.wait.map(Wait::duration), ..wire::error(wire, error).into() }
    }
}

/// A request to be answered, with the metadata of the reply.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    pub request: &'a Request<'a>,
    pub answers: Answers,
    pub seed: u64,
    pub model: &'a str,
    pub prompt_tokens: u32,
    /// Tokens of reasoning before each choice.
    pub reasoning: u32,
    pub cache: CacheUse,
    pub has_cache: bool,
    pub in_batch: bool,
    /// Parameters that are not heeded.
    pub ignored: &'a [&'static str],
    /// Number of the call, for the reply's id.
    pub number: usize,
}

impl Order<'_> {
    /// Returns the reply, spoiled by `fault`. `retry_after` is that of an injected 429.
    pub fn reply(&self, fault: Option<Fault>, retry_after: Duration) -> Reply {
        let Some(fault) = fault else { return self.good() };
        let seconds = retry_after.as_secs_f64().ceil() as u64;
        match fault {
            Fault::ServerError => {
                let message = "The server had an error while processing your request. (An injected fault.)";
                self.error(ErrorKind::Server, message)
            }
            Fault::Overloaded => self.error(ErrorKind::Overloaded, "The server is currently overloaded."),
            Fault::BadRequest => self.error(ErrorKind::Invalid, "That cannot be asked here"),
            Fault::ModelMissing => {
                let message = format!("The model `{}` does not exist or you do not have access to it.", self.model);
                self.error(ErrorKind::ModelMissing, &message)
            }
            Fault::Unauthorized => Reply::error(self.request.wire, &ApiError::unauthorized()),
            Fault::InsufficientQuota => {
                let message = "You exceeded your current quota, please check your plan and billing details.";
                self.error(ErrorKind::QuotaUsedUp, message)
            }
            Fault::TooManyRequests => self.too_many_requests(Wait::Seconds(seconds)),
            Fault::TooManyRequestsUntil => {
                let now = SystemTime::now();
                let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
                let until = Duration::from_secs((since + retry_after).as_secs_f64().ceil() as u64);
                let wait = until.saturating_sub(since);
                let mut reply = self.too_many_requests(Wait::Until(UNIX_EPOCH + until, wait.as_secs() + 1));
                reply.retry_after = Some(wait);
                reply
            }
            Fault::TooManyRequestsReset => self.too_many_requests(Wait::Reset(seconds)),
            Fault::ResetBefore => Reply { delivery: Delivery::ResetBefore, ..self.good() },
            Fault::ResetMidway => Reply { delivery: Delivery::ResetMidway, ..self.good() },
            Fault::Hang => Reply { delivery: Delivery::Never, ..self.good() },
            Fault::SilentMidway => Reply { delivery: Delivery::SilentMidway, ..self.good() },
            Fault::GarbageEvent => {
                let mut reply = self.good();
                if !reply.response.end_midway_with("", GARBAGE) {
                    reply.response.body = GARBAGE.to_owned();
                }
                reply
            }
            Fault::ErrorEvent => {
                let mut reply = self.good();
                let error = ApiError::new(ErrorKind::Overloaded, "The server is currently overloaded.");
                let (name, data) = wire::error_event(self.request.wire, &error);
                if !reply.response.end_midway_with(name, &data) {
                    reply.response.body = data;
                }
                reply
            }
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
                let text = "I'm sorry, I can't assist with that.".to_owned();
                self.chosen(vec![Choice { text, stop: Stop::Refused }], 10)
            }
            Fault::Truncated => self.said(self.contents(None).map(|content| {
                let half = tokens(content.len()) / 2;
                cut(content, half)
            })),
            Fault::ContentFilter => self.said(iter::once(Choice { text: String::new(), stop: Stop::Filtered })),
            Fault::EmptyChoices => self.chosen(Vec::new(), 0),
            Fault::Redirect => {
                let mut response = HttpResponse::empty("307 Temporary Redirect");
                response.header("location", "/v1/elsewhere/chat/completions");
                response.into()
            }
            Fault::OtherModel => Self { model: "another-model", ..*self }.good(),
        }
    }

    fn error(&self, kind: ErrorKind, message: &str) -> Reply {
        Reply::error(self.request.wire, &ApiError::new(kind, message))
    }

    fn too_many_requests(&self, wait: Wait) -> Reply {
        Reply::error(self.request.wire, &ApiError::too_many_requests("Rate limit reached.", wait))
    }

    /// Returns the content of each choice. The first does not depend on their number.
    fn contents(&self, flaw: Option<Flaw>) -> impl Iterator<Item = String> {
        let choices = if self.ignored.contains(&"n") { 1 } else { self.request.choices };
        (0..choices).map(move |place| self.answers.reply(self.request, self.seed, place, flaw))
    }

    fn good(&self) -> Reply {
        self.answered(None)
    }

    /// Returns a reply within the tokens that the request allows.
    fn answered(&self, flaw: Option<Flaw>) -> Reply {
        let max_tokens = self.request.max_tokens.unwrap_or(u32::MAX);
        let room = max_tokens.saturating_sub(self.reasoning);
        self.said(self.contents(flaw).map(|content| cut(content, room)))
    }

    fn said(&self, choices: impl Iterator<Item = Choice>) -> Reply {
        let choices: Vec<Choice> = choices.collect();
        let sum = choices.iter().map(|choice| tokens(choice.text.len())).fold(0, u32::saturating_add);
        self.chosen(choices, sum)
    }

    fn chosen(&self, choices: Vec<Choice>, answer: u32) -> Reply {
        let Self { request, model, number, has_cache, in_batch, .. } = *self;
        let each = self.reasoning.min(request.max_tokens.unwrap_or(u32::MAX));
        let reasoning = each.saturating_mul(u32::try_from(choices.len()).unwrap_or(1));
        let usage = Usage { prompt: self.prompt_tokens, cache: self.cache, answer, reasoning };
        let top = request.top_logprobs.filter(|_| !self.ignored.contains(&"logprobs"));
        let of_choice = |choice: &Choice, top| {
            let odds = self.answers.odds(request, self.seed);
            crate::tokens::of_text(&choice.text, &odds, top)
        };
        let tokens = top.map(|top| choices.iter().map(|choice| of_choice(choice, top)).collect()).unwrap_or_default();
        let completion = Completion { request, model, number, choices, tokens, usage, has_cache, in_batch };
        Reply { usage, ..wire::completed(&completion).into() }
    }
}

/// Cuts the content to this number of tokens.
fn cut(mut text: String, max_tokens: u32) -> Choice {
    if tokens(text.len()) <= max_tokens {
        return Choice { text, stop: Stop::Finished };
    }
    text.truncate(text.floor_char_boundary(4 * max_tokens as usize));
    Choice { text, stop: Stop::Length }
}

/// A 429 of the server's own limits.
pub fn rate_limited(wire: Wire, wait: Duration) -> Reply {
    let seconds = (wait.as_secs_f64().ceil() as u64).max(1);
    let message = format!("Rate limit reached. Please try again in {seconds}s.");
    Reply::error(wire, &ApiError::too_many_requests(message, Wait::Seconds(seconds)))
}

pub fn format_refused(wire: Wire, wanted: Dialect) -> Reply {
    let message = match wire {
        Wire::OpenAi => {
            let name = if wanted == Dialect::JsonSchema { "json_schema" } else { "json_object" };
            format!("Invalid parameter: 'response_format' of type '{name}' is not supported with this model.")
        }
        Wire::Anthropic if wanted == Dialect::JsonSchema => {
            "output_config.format: This model does not support structured outputs.".to_owned()
        }
        Wire::Anthropic => "tools: This model does not support tool use.".to_owned(),
        Wire::Gemini => "JSON mode is not enabled for this model".to_owned(),
    };
    Reply::error(wire, &ApiError::invalid(message, None))
}

/// The error in the provider's words. OpenAI's `param` stays empty, as in many servers.
pub fn parameter_refused(wire: Wire, name: &str) -> Reply {
    let message = match wire {
        Wire::OpenAi => format!("Unrecognized request argument supplied: {name}"),
        Wire::Anthropic => format!("{name}: Extra inputs are not permitted"),
        Wire::Gemini => {
            format!("Invalid JSON payload received. Unknown name \"{name}\" at 'generation_config': Cannot find field.")
        }
    };
    Reply::error(wire, &ApiError::invalid(message, None))
}
