//! Errors in OpenAI's shape.

use actix_web::http::StatusCode;
use actix_web::http::header::RETRY_AFTER;
use actix_web::{HttpResponse, ResponseError};
use serde_json::json;

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ServerError {
    status: StatusCode,
    kind: &'static str,
    message: String,
    param: Option<&'static str>,
    code: Option<&'static str>,
    /// Whole seconds.
    retry_after: Option<u64>,
}

impl ServerError {
    pub fn invalid(message: impl Into<String>, param: Option<&'static str>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message, param)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "invalid_request_error", message, None)
    }

    pub fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request_error", "The request body is too large.", None)
    }

    pub fn injected() -> Self {
        let message = "The server had an error while processing your request. (An injected fault of the demo model.)";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", message, None)
    }

    /// `wait` in whole seconds.
    pub fn rate_limited(limit: u32, wait: u64) -> Self {
        let message = format!("Rate limit reached: {limit} requests per minute. Please try again in {wait}s.");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "requests", message, None);
        Self { code: Some("rate_limit_exceeded"), retry_after: Some(wait), ..error }
    }

    fn new(status: StatusCode, kind: &'static str, message: impl Into<String>, param: Option<&'static str>) -> Self {
        Self { status, kind, message: message.into(), param, code: None, retry_after: None }
    }
}

impl ResponseError for ServerError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if let Some(seconds) = self.retry_after {
            response.insert_header((RETRY_AFTER, seconds.to_string()));
        }
        let error = json!({ "message": self.message, "type": self.kind, "param": self.param, "code": self.code });
        response.json(json!({ "error": error }))
    }
}
