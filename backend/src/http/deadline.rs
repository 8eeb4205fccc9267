//! Every request ends: its body has to come, and then the answer's beginning. What streams after that has no limit.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage};
use bytes::Bytes;
use futures_util::Stream;
use tokio::time::{Instant, sleep_until};

use super::error::ApiError;

/// From the last byte of the request to the first of the answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Between two pieces of a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// How far the body has come.
#[derive(Clone, Copy)]
enum Progress {
    Piece(Instant),
    Complete(Instant),
}

/// A body that notes its progress.
struct Noted {
    body: Payload,
    progress: Rc<Cell<Progress>>,
}

impl Stream for Noted {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = Pin::new(&mut self.body).poll_next(context);
        match &piece {
            Poll::Ready(Some(_)) => self.progress.set(Progress::Piece(Instant::now())),
            Poll::Ready(None) => self.progress.set(Progress::Complete(Instant::now())),
            Poll::Pending => {}
        }
        piece
    }
}

pub async fn keep(
    mut request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let headers = request.headers();
    let has_body = headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING);
    let begun = if has_body { Progress::Piece(Instant::now()) } else { Progress::Complete(Instant::now()) };
    let progress = Rc::new(Cell::new(begun));
    let answer_timeout = (!takes_long(request.path(), request.query_string())).then_some(ANSWER_TIMEOUT);
    if has_body {
        let body = Noted { body: request.take_payload(), progress: progress.clone() };
        request.set_payload(Payload::Stream { payload: Box::pin(body) });
    }
    tokio::select! {
        answer = next.call(request) => answer,
        error = overdue(&progress, answer_timeout) => Err(error.into()),
    }
}

/// An import stores all that it was sent before it answers, and a workbook is complete before its first byte is sent.
fn takes_long(path: &str, query: &str) -> bool {
    path.starts_with("/api/personas/import/")
        || path.ends_with("/responses/export.xlsx")
        || path.ends_with("/responses/export") && query.contains("format=xlsx")
}

/// Resolves when the body or the answer is overdue.
async fn overdue(progress: &Cell<Progress>, answer_timeout: Option<Duration>) -> ApiError {
    loop {
        let (due, error) = match (progress.get(), answer_timeout) {
            (Progress::Piece(last), _) => (last + BODY_TIMEOUT, ApiError::BodyTimeout),
            (Progress::Complete(at), Some(timeout)) => (at + timeout, ApiError::TooSlow),
            (Progress::Complete(_), None) => std::future::pending().await,
        };
        if due <= Instant::now() {
            return error;
        }
        // A body that goes on or ends meanwhile moves the deadline: it is looked at again at the earliest of them.
        sleep_until(due.min(Instant::now() + ANSWER_TIMEOUT)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_workbooks_may_take_long_and_nothing_else() {
        let responses = "/api/surveys/1/simulation/7a6b/responses";
        assert!(takes_long("/api/personas/import/csv", ""));
        assert!(takes_long(&format!("{responses}/export.xlsx"), ""));
        assert!(takes_long(&format!("{responses}/export"), "limit=5&format=xlsx"));
        for (path, query) in [("/export", ""), ("/export", "format=csv"), ("/export.csv", ""), ("/matrix", "")] {
            assert!(!takes_long(&format!("{responses}{path}"), query), "{path}");
        }
        assert!(!takes_long("/api/personas", ""));
    }
}
