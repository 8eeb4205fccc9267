//! Google's Gemini API.

mod parse;
pub mod stream;

use serde_json::{Value, json};

use crate::completion::{Choice, Completion, Stop};
use crate::error::{ApiError, ErrorKind};
use crate::http::HttpResponse;

pub use parse::parse;

pub fn completed(completion: &Completion<'_>) -> Value {
    let Completion { model, number, choices, usage, .. } = completion;
    let refused = choices.iter().any(|choice| choice.stop == Stop::Refused);
    let mut body = json!({
        "modelVersion": model,
        "responseId": format!("response-{number}"),
        "usageMetadata": {
            "promptTokenCount": usage.prompt,
            "candidatesTokenCount": usage.answer,
            "totalTokenCount": usage.prompt.saturating_add(usage.completion()),
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": usage.prompt}],
        },
    });
    if usage.reasoning > 0 {
        body["usageMetadata"]["thoughtsTokenCount"] = usage.reasoning.into();
    }
    if usage.cache.read > 0 {
        body["usageMetadata"]["cachedContentTokenCount"] = usage.cache.read.into();
    }
    if refused {
        body["promptFeedback"] = json!({"blockReason": "PROHIBITED_CONTENT"});
    } else if !choices.is_empty() {
        body["candidates"] = choices.iter().enumerate().map(|(index, choice)| candidate(index, choice)).collect();
    }
    body
}

fn candidate(index: usize, Choice { text, stop }: &Choice) -> Value {
    let finish_reason = match stop {
        Stop::Finished | Stop::Refused => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Filtered => "SAFETY",
    };
    let mut candidate = json!({"index": index, "finishReason": finish_reason});
    if *stop != Stop::Filtered {
        let parts = if text.is_empty() { json!([]) } else { json!([{"text": text}]) };
        candidate["content"] = json!({"role": "model", "parts": parts});
    }
    candidate
}

pub fn error(error: &ApiError) -> HttpResponse {
    let (line, code, status) = match error.kind {
        ErrorKind::Invalid | ErrorKind::Unauthorized | ErrorKind::TooLarge => {
            ("400 Bad Request", 400, "INVALID_ARGUMENT")
        }
        ErrorKind::Conflict => ("400 Bad Request", 400, "FAILED_PRECONDITION"),
        ErrorKind::QuotaUsedUp | ErrorKind::TooManyRequests => ("429 Too Many Requests", 429, "RESOURCE_EXHAUSTED"),
        ErrorKind::NotFound | ErrorKind::ModelMissing => ("404 Not Found", 404, "NOT_FOUND"),
        ErrorKind::Server => ("500 Internal Server Error", 500, "INTERNAL"),
        ErrorKind::Overloaded => ("503 Service Unavailable", 503, "UNAVAILABLE"),
    };
    let message = match error.kind {
        ErrorKind::Unauthorized => "API key not valid. Please pass a valid API key.",
        ErrorKind::Overloaded => "The model is overloaded. Please try again later.",
        _ => &error.message,
    };
    let mut body = json!({"error": {"code": code, "message": message, "status": status}});
    let details = details(error);
    if !details.is_empty() {
        body["error"]["details"] = details.into();
    }
    HttpResponse::json(line, &body)
}

/// The wait is in the body alone: Gemini has no header for it.
fn details(error: &ApiError) -> Vec<Value> {
    let quota = |period: &str| {
        let id = format!("GenerateRequestsPer{period}PerProjectPerModel");
        json!({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": id,
            "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests"}]})
    };
    match (error.kind, error.wait) {
        (ErrorKind::Unauthorized, _) => vec![json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID", "domain": "googleapis.com",
            "metadata": {"service": "generativelanguage.googleapis.com"}})],
        (ErrorKind::QuotaUsedUp, _) => vec![quota("Day")],
        (ErrorKind::TooManyRequests, wait) => {
            let mut details = vec![quota("Minute")];
            let retry = |seconds| json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s")});
            details.extend(wait.map(|wait| retry(wait.seconds())));
            details
        }
        _ => Vec::new(),
    }
}

pub fn model_card(model: &str, listed: bool) -> Value {
    let card = json!({"name": format!("models/{model}"), "displayName": model, "version": "1",
        "supportedGenerationMethods": ["generateContent", "batchGenerateContent"]});
    if listed { json!({"models": [card]}) } else { card }
}

#[cfg(test)]
mod tests;
