//! The providers' forms of requests, replies and errors: one file for each provider.

mod anthropic;
mod clock;
mod gemini;
mod openai;
mod strict;

use std::time::SystemTime;

use crate::completion::Completion;
use crate::error::ApiError;
use crate::http::{HttpRequest, HttpResponse};
use crate::limits::Allowance;
use crate::request::{Request, Wire};

pub use clock::timestamp;

/// An address that answers with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint<'a> {
    pub wire: Wire,
    /// The model, where the path names it.
    pub model: Option<&'a str>,
}

impl<'a> Endpoint<'a> {
    /// `None` if the path asks for no completion.
    pub fn of(path: &'a str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self { wire: Wire::OpenAi, model: None })
        } else if path.ends_with("/v1/messages") {
            Some(Self { wire: Wire::Anthropic, model: None })
        } else {
            let model = path.strip_suffix(":generateContent")?.rsplit_once("/models/")?.1;
            Some(Self { wire: Wire::Gemini, model: Some(model) })
        }
    }

    pub fn parse<'b>(self, body: &'b [u8]) -> Result<Request<'b>, ApiError> {
        match self.wire {
            Wire::OpenAi => openai::parse(body),
            Wire::Anthropic => anthropic::parse(body),
            Wire::Gemini => gemini::parse(body, self.model),
        }
    }
}

/// The wire of a request for anything, by its headers or its path.
pub fn wire_of(request: &HttpRequest) -> Wire {
    let has = |part: &str| request.path.contains(part);
    let by_path = if has("/v1beta/") || has("/upload/") || has(":generateContent") || has(":batchGenerateContent") {
        Wire::Gemini
    } else if has("/messages") {
        Wire::Anthropic
    } else {
        Wire::OpenAi
    };
    request.wire.unwrap_or(by_path)
}

/// Renders a completion with status 200.
pub fn completed(completion: &Completion<'_>) -> HttpResponse {
    let body = match completion.request.wire {
        Wire::OpenAi => openai::completed(completion),
        Wire::Anthropic => anthropic::completed(completion),
        Wire::Gemini => gemini::completed(completion),
    };
    HttpResponse::json("200 OK", &body)
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
