//! The providers' forms of requests, replies and errors: one file for each provider.

mod anthropic;
mod clock;
mod gemini;
mod openai;
mod pieces;
mod strict;

use std::time::SystemTime;

use crate::completion::Completion;
use crate::error::ApiError;
use crate::http::{HttpRequest, HttpResponse};
use crate::limits::Allowance;
use crate::request::{Request, Wire};

pub use clock::timestamp;
use pieces::pieces;

/// An address that answers with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint<'a> {
    pub wire: Wire,
    /// The model, where the path names it.
    pub model: Option<&'a str>,
    /// Whether the path asks for a reply in pieces.
    pub streams: bool,
}

impl<'a> Endpoint<'a> {
    /// `None` if the path asks for no completion.
    pub fn of(path: &'a str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self { wire: Wire::OpenAi, model: None, streams: false })
        } else if path.ends_with("/v1/messages") {
            Some(Self { wire: Wire::Anthropic, model: None, streams: false })
        } else {
            let (model, method) = path.rsplit_once("/models/")?.1.split_once(':')?;
            let streams = method == "streamGenerateContent";
            (streams || method == "generateContent").then_some(Self { wire: Wire::Gemini, model: Some(model), streams })
        }
    }

    pub fn parse<'b>(self, body: &'b [u8]) -> Result<Request<'b>, ApiError> {
        match self.wire {
            Wire::OpenAi => openai::parse(body),
            Wire::Anthropic => anthropic::parse(body),
            Wire::Gemini => gemini::parse(body, self.model, self.streams),
        }
    }
}

/// The wire of a request for anything, by its headers or its path.
pub fn wire_of(request: &HttpRequest) -> Wire {
    let has = |part: &str| request.path.contains(part);
    let by_path = if ["/v1beta/", "/upload/", ":generateContent", ":streamGenerateContent", ":batchGenerateContent"]
        .into_iter()
        .any(has)
    {
        Wire::Gemini
    } else if has("/messages") {
        Wire::Anthropic
    } else {
        Wire::OpenAi
    };
    request.wire.unwrap_or(by_path)
}

/// Renders a completion with status 200, as events where the request wants it.
pub fn completed(completion: &Completion<'_>) -> HttpResponse {
    if let Some(wish) = completion.request.stream {
        return HttpResponse::events(match completion.request.wire {
            Wire::OpenAi => unnamed(openai::stream::streamed(completion, wish)),
            Wire::Anthropic => anthropic::stream::streamed(completion),
            Wire::Gemini => unnamed(gemini::stream::streamed(completion)),
        });
    }
    let body = match completion.request.wire {
        Wire::OpenAi => openai::completed(completion),
        Wire::Anthropic => anthropic::completed(completion),
        Wire::Gemini => gemini::completed(completion),
    };
    HttpResponse::json("200 OK", &body)
}

fn unnamed(events: Vec<String>) -> Vec<(&'static str, String)> {
    events.into_iter().map(|data| ("", data)).collect()
}

/// The name and the data of an event that ends a reply with an error.
pub fn error_event(wire: Wire, error: &ApiError) -> (&'static str, String) {
    match wire {
        Wire::OpenAi => ("", openai::stream::error(error)),
        Wire::Anthropic => anthropic::stream::error(error),
        Wire::Gemini => ("", gemini::stream::error(error)),
    }
}

pub fn error(wire: Wire, error: &ApiError) -> HttpResponse {
    match wire {
        Wire::OpenAi => openai::error(error),
        Wire::Anthropic => anthropic::error(error),
        Wire::Gemini => gemini::error(error),
    }
}

/// Adds the headers of one limit. Gemini has none.
pub fn add_limit_headers(wire: Wire, response: &mut HttpResponse, allowance: &Allowance) {
    match wire {
        Wire::OpenAi => openai::add_limit_headers(response, allowance),
        Wire::Anthropic => anthropic::add_limit_headers(response, allowance, SystemTime::now()),
        Wire::Gemini => {}
    }
}

/// The card of the one model, or the list of it.
pub fn model_card(wire: Wire, model: &str, listed: bool) -> HttpResponse {
    let body = match wire {
        Wire::OpenAi => openai::model_card(model, listed),
        Wire::Anthropic => anthropic::model_card(model, listed),
        Wire::Gemini => gemini::model_card(model, listed),
    };
    HttpResponse::json("200 OK", &body)
}
