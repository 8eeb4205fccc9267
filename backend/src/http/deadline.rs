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
use actix_web::web::Data;
use actix_web::{Error, HttpMessage};
use bytes::Bytes;
use futures_util::Stream;
use tokio::time::{Instant, sleep_until};

use super::error::ApiError;
use crate::app::App;

/// Time limit from the last byte of the request to the first byte of the answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes a second. A body that comes more slowly has the time-out of its next piece for the whole of it.
const SLOWEST_BODY: u64 = 1024;

/// The phase that a request is in, and its start.
#[derive(Clone, Copy)]
enum Waiting {
    /// The caller: the handler reads the body, and no more of it is there.
    ForBody(Instant),
    ForAnswer(Instant),
}

/// How far a request has come.
#[derive(Clone, Copy)]
struct Course {
    waiting: Waiting,
    /// The next piece of the body.
    bytes: u64,
    /// The work on the pieces of the body that have come.
    waited: Duration,
}

impl Course {
    fn begin() -> Self {
        Self { waiting: Waiting::ForAnswer(Instant::now()), bytes: 0, waited: Duration::ZERO }
    }

    /// When a body that is waited for since then is given up; `timeout`: for the next piece.
    fn body_due(&self, since: Instant, timeout: Duration) -> Instant {
        let earned = Duration::from_secs(self.bytes / SLOWEST_BODY);
        since + timeout.min((timeout + earned).saturating_sub(self.waited))
    }
}

/// A body that notes what is waited for.
struct Noted {
    body: Payload,
    course: Rc<Cell<Course>>,
}

impl Stream for Noted {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = Pin::new(&mut self.body).poll_next(context);
        let mut course = self.course.get();
        match (&piece, course.waiting) {
            (Poll::Ready(came), waiting) => {
                if let Waiting::ForBody(since) = waiting {
                    course.waited += since.elapsed();
                }
                course.bytes += came.as_ref().and_then(|came| came.as_ref().ok()).map_or(0, |bytes| bytes.len() as u64);
                course.waiting = Waiting::ForAnswer(Instant::now());
            }
            (Poll::Pending, Waiting::ForAnswer(_)) => course.waiting = Waiting::ForBody(Instant::now()),
            (Poll::Pending, Waiting::ForBody(_)) => {}
        }
        self.course.set(course);
        piece
    }
}

pub async fn keep(
    mut request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let headers = request.headers();
    let has_body = headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING);
    let course = Rc::new(Cell::new(Course::begin()));
    let app = request.app_data::<Data<App>>().expect("every request finds the app");
    let body_timeout = app.body_timeout;
    let answer_timeout = (!takes_long(request.path(), request.query_string())).then_some(ANSWER_TIMEOUT);
    if has_body {
        let body = Noted { body: request.take_payload(), course: course.clone() };
        request.set_payload(Payload::Stream { payload: Box::pin(body) });
    }
    tokio::select! {
        answer = next.call(request) => answer,
        error = overdue(&course, answer_timeout, body_timeout) => Err(error.into()),
    }
}

/// An import stores all that it was sent before it answers, a workbook and a bundle are complete before their first byte is
/// sent, a study deals to all twins of many runs and queues them all for another pass, and comparisons draw thousands of samples.
fn takes_long(path: &str, query: &str) -> bool {
    path.starts_with("/api/personas/import/")
        || path.ends_with("/responses/bundle.zip")
        || path.starts_with("/api/studies/") && path.ends_with("/bundle")
        || path.ends_with("/studies")
        || path.ends_with("/human-samples")
        || path.starts_with("/api/human-samples/")
        || path.starts_with("/api/surveys/") && path.ends_with("/people")
        || path.starts_with("/api/studies/")
            && ["/retry-failed", "/continue", "/people", "/calibration"].iter().any(|end| path.ends_with(end))
        || path.ends_with("/comparison")
        || path.ends_with("/validation")
        || path.ends_with("/trust")
        || path.ends_with("/responses/export.xlsx")
        || path.ends_with("/responses/export") && query.contains("format=xlsx")
}

/// Resolves when the body or the answer is overdue.
async fn overdue(course: &Cell<Course>, answer_timeout: Option<Duration>, body_timeout: Duration) -> ApiError {
    loop {
        let now_at = course.get();
        let (due, error) = match (now_at.waiting, answer_timeout) {
            (Waiting::ForBody(since), _) => (Some(now_at.body_due(since, body_timeout)), ApiError::BodyTimeout),
            (Waiting::ForAnswer(since), timeout) => (timeout.map(|timeout| since + timeout), ApiError::TooSlow),
        };
        let now = Instant::now();
        if due.is_some_and(|due| due <= now) {
            return error;
        }
        // What it waits for may change meanwhile, and the deadline with it.
        let look_again = now + ANSWER_TIMEOUT.min(body_timeout);
        sleep_until(due.map_or(look_again, |due| due.min(look_again))).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_has_the_time_out_for_each_piece_and_for_all_of_it_unless_it_comes_fast_enough() {
        const TIMEOUT: Duration = Duration::from_secs(30);
        let due = |bytes, waited_s| {
            let since = Instant::now();
            let course = Course { bytes, waited: Duration::from_secs(waited_s), ..Course::begin() };
            (course.body_due(since, TIMEOUT) - since).as_secs()
        };
        assert_eq!(due(0, 0), 30);
        assert_eq!(due(1, 29), 1, "a byte now and then keeps no body alive");
        assert_eq!(due(10, 40), 0);
        assert_eq!(due(100 << 20, 300), 30, "an upload may take as long as it comes");
    }

    #[test]
    fn imports_and_workbooks_may_take_long_and_nothing_else() {
        let responses = "/api/surveys/1/simulation/7a6b/responses";
        assert!(takes_long("/api/personas/import/csv", ""));
        assert!(takes_long(&format!("{responses}/export.xlsx"), ""));
        assert!(takes_long("/api/studies/5f4e/bundle", "") && !takes_long("/api/studies/5f4e", ""));
        assert!(takes_long(&format!("{responses}/export"), "limit=5&format=xlsx"));
        for (path, query) in [("/export", ""), ("/export", "format=csv"), ("/export.csv", ""), ("/matrix", "")] {
            assert!(!takes_long(&format!("{responses}{path}"), query), "{path}");
        }
        assert!(!takes_long("/api/personas", ""));
    }
}
