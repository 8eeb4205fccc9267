//! The HTTP below async-openai. Bodies are read and checked here, because the crate logs every body that it cannot
//! read in full, hides the headers of refusals, and reads without a limit.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Error;
use tokio::time::{Instant, timeout, timeout_at};

use super::connections::Connections;
use super::outcome::{CallError, Refusal};
use super::reply::Reply;
use super::retry_after;
use crate::llm::prompt::with_twin;

/// The longest reply that is read, in bytes.
const REPLY: usize = 2 * 1024 * 1024;
/// How much of a refusal's body is read, in bytes, and for how long: its status and headers already say the most.
const REFUSAL: usize = 64 * 1024;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);

/// Why there is no reply to read.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{}", .0.status)]
    Refused(Refusal),
    #[error(transparent)]
    Broken(CallError),
}

impl From<Failure> for OpenAIError {
    fn from(failure: Failure) -> Self {
        Self::Boxed(Box::new(failure))
    }
}

/// A model server, and how it is called.
#[derive(Clone)]
pub struct Server {
    pub connections: Connections,
    /// Of a whole call, the last byte of the reply included. A refusal is heard out, within limits of its own.
    pub timeout: Duration,
    pub has_key: bool,
}

/// Sends what async-openai wrote, with the twin's text put in: it is the bulk of a call, and never copied.
#[derive(Clone)]
pub struct Transport {
    pub server: Server,
    /// The text of the twin that the call is about.
    pub twin: Bytes,
    pub heard: Heard,
}

/// Where the reply is put. async-openai is told `null`: it would read the same once more.
pub type Heard = Arc<Mutex<Option<Reply>>>;

impl Transport {
    async fn send(self, factory: HttpRequestFactory) -> Result<reqwest::Response, Failure> {
        let Self { server, twin, heard } = self;
        let written = factory.build().await.map_err(garbled)?;
        drop(factory);
        let request = server.compose(written, twin)?;
        let body = answer(server.connections.send(request), Instant::now() + server.timeout).await?;
        let reply = serde_json::from_slice(&body).map_err(|error| {
            let beginning = String::from_utf8_lossy(&body[..body.len().min(4096)]).into_owned();
            garbled(format!("{error}: {beginning}"))
        })?;
        heard.lock().unwrap_or_else(PoisonError::into_inner).replace(reply);
        Ok(Response::new("null").into())
    }
}

impl Server {
    fn compose(&self, mut written: reqwest::Request, twin: Bytes) -> Result<Request<Pieces>, Failure> {
        let body = written.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        let body = Pieces::new(with_twin(body, twin));
        let mut request = Request::post(written.url().as_str()).body(body).map_err(garbled)?;
        *request.headers_mut() = std::mem::take(written.headers_mut());
        if !self.has_key {
            request.headers_mut().remove(AUTHORIZATION);
        }
        Ok(request)
    }
}

async fn answer(
    sent: impl Future<Output = Result<Response<Incoming>, Error>>,
    deadline: Instant,
) -> Result<Bytes, Failure> {
    let late = |_| Failure::Broken(CallError::timed_out());
    let response = timeout_at(deadline, sent).await.map_err(late)?.map_err(|error| match error.is_connect() {
        true => Failure::Broken(CallError::unreachable(&error)),
        false => Failure::Broken(CallError::broken(&error)),
    })?;
    match response.status().is_success() {
        true => timeout_at(deadline, read(response.into_body())).await.map_err(late)?,
        false => Err(Failure::Refused(refusal(response).await)),
    }
}

/// A body of known length that is written piece by piece, as the connection takes them.
///
/// In a box, because hyper's channel to a connection keeps places for 32 requests: what they are larger, each of
/// thousands of connections is 32 times.
pub struct Pieces(Box<std::array::IntoIter<Bytes, 3>>);

impl Pieces {
    fn new(pieces: [Bytes; 3]) -> Self {
        Self(Box::new(pieces.into_iter()))
    }

    pub fn none() -> Self {
        Self::new(std::array::from_fn(|_| Bytes::new()))
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.len() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_slice().iter().map(|piece| piece.len() as u64).sum())
    }
}

impl tower::Service<HttpRequestFactory> for Transport {
    type Response = reqwest::Response;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<reqwest::Response, Failure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        Box::pin(self.clone().send(factory))
    }
}

fn garbled(error: impl ToString) -> Failure {
    Failure::Broken(CallError::garbled(&error.to_string()))
}

async fn read(body: Incoming) -> Result<Bytes, Failure> {
    let too_long = || garbled(format!("the reply is longer than {REPLY} bytes"));
    if body.size_hint().lower() > REPLY as u64 {
        return Err(too_long());
    }
    match Limited::new(body, REPLY).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_long()),
        Err(error) => Err(Failure::Broken(CallError::broken(&*error))),
    }
}

async fn refusal(response: Response<Incoming>) -> Refusal {
    let (head, mut rest) = response.into_parts();
    let retry_after = retry_after::read(&head.headers, chrono::Utc::now());
    let mut body = Vec::new();
    let reading = async {
        while body.len() < REFUSAL
            && let Some(Ok(frame)) = rest.frame().await
        {
            let chunk = frame.into_data().unwrap_or_default();
            body.extend_from_slice(&chunk[..chunk.len().min(REFUSAL - body.len())]);
        }
    };
    // What has come until then is enough.
    let _ = timeout(REFUSAL_TIMEOUT, reading).await;
    Refusal { status: head.status, retry_after, body: String::from_utf8_lossy(&body).into_owned() }
}
