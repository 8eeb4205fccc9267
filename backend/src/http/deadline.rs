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
/// For the next piece of a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// What the request waits for, and since when.
#[derive(Clone, Copy)]
enum Waiting {
    /// The caller: the handler reads the body, and no more of it is there.
    ForBody(Instant),
    ForAnswer(Instant),
}

/// A body that notes what is waited for.
struct Noted {
    body: Payload,
    waiting: Rc<Cell<Waiting>>,
}

impl Stream for Noted {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = Pin::new(&mut self.body).poll_next(context);
        match (&piece, self.waiting.get()) {
            (Poll::Ready(_), _) => self.waiting.set(Waiting::ForAnswer(Instant::now())),
            (Poll::Pending, Waiting::ForAnswer(_)) => self.waiting.set(Waiting::ForBody(Instant::now())),
            (Poll::Pending, Waiting::ForBody(_)) => {}
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
    let waiting = Rc::new(Cell::new(Waiting::ForAnswer(Instant::now())));
    let answer_timeout = (!takes_long(request.path(), request.query_string())).then_some(ANSWER_TIMEOUT);
    if has_body {
        let body = Noted { body: request.take_payload(), waiting: waiting.clone() };
        request.set_payload(Payload::Stream { payload: Box::pin(body) });
    }
    tokio::select! {
        answer = next.call(request) => answer,
        error = overdue(&waiting, answer_timeout) => Err(error.into()),
    }
}

/// An import stores all that it was sent before it answers, and a workbook is complete before its first byte is sent.
fn takes_long(path: &str, query: &str) -> bool {
    path.starts_with("/api/personas/import/")
        || path.ends_with("/responses/export.xlsx")
        || path.ends_with("/responses/export") && query.contains("format=xlsx")
}

/// Resolves when the body or the answer is overdue.
async fn overdue(waiting: &Cell<Waiting>, answer_timeout: Option<Duration>) -> ApiError {
    loop {
        let (due, error) = match (waiting.get(), answer_timeout) {
            (Waiting::ForBody(since), _) => (Some(since + BODY_TIMEOUT), ApiError::BodyTimeout),
            (Waiting::ForAnswer(since), timeout) => (timeout.map(|timeout| since + timeout), ApiError::TooSlow),
        };
        let now = Instant::now();
        if due.is_some_and(|due| due <= now) {
            return error;
        }
        // What it waits for may change meanwhile, and the deadline with it.
        let look_again = now + ANSWER_TIMEOUT;
        sleep_until(due.map_or(look_again, |due| due.min(look_again))).await;
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
