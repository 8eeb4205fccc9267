//! An id for every request: in its log lines, in its answer (`X-Request-Id`), and in what an internal error says.

use std::fmt::Display;
use std::time::Instant;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use futures_util::{Stream, TryStreamExt};
use tracing::Instrument;
use uuid::Uuid;

use crate::metrics;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: Uuid;
}

/// The id of the request being answered; a nil one outside of any.
pub fn current() -> Uuid {
    CURRENT.try_with(|id| *id).unwrap_or_default()
}

/// Logs an error of a stream that is answered with: the response has begun, so the caller gets no message.
pub fn logged<T, E: Display>(stream: impl Stream<Item = Result<T, E>>) -> impl Stream<Item = Result<T, E>> {
    let request_id = current();
    stream.inspect_err(move |cause| tracing::error!(%request_id, %cause, "an answer broke off"))
}

/// Gives the request an id, and its answer a log line and a place in the metrics.
pub async fn add(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let id = Uuid::new_v4();
    let began = Instant::now();
    let method = request.method().clone();
    let path = request.path().to_owned();
    let span = tracing::info_span!("request", %id, %method, path);
    let mut answer = CURRENT.scope(id, next.call(request)).instrument(span.clone()).await?;
    let pattern = answer.request().match_pattern().unwrap_or_else(|| "unmatched".to_owned());
    metrics::answered(method.as_str(), &pattern, answer.status().as_u16(), began.elapsed());
    span.in_scope(|| tracing::debug!(status = answer.status().as_u16(), took = ?began.elapsed(), "answered"));
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        answer.headers_mut().insert(HEADER, value);
    }
    Ok(answer)
}
