//! The HTTP below async-openai. Bodies are read and checked here, because the crate logs every body that it cannot
//! read in full, hides the headers of refusals, and reads without a limit.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use reqwest::header::AUTHORIZATION;
use reqwest::redirect::Policy;
use reqwest::{Body, Client, Response, Url};

use super::outcome::{CallError, Refusal};
use super::reply::Reply;
use super::retry_after;
use crate::llm::prompt::with_twin;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest reply that is read, in bytes.
const REPLY: usize = 2 * 1024 * 1024;
/// How much of a refusal's body is read, in bytes, and for how long: its status and headers already say the most.
const REFUSAL: usize = 64 * 1024;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);

/// `timeout` bounds the whole call, the last byte of the body included.
pub fn http_client(address: &Url, timeout: Duration) -> reqwest::Result<Client> {
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .http1_only()
        .tcp_nodelay(true)
        .pool_max_idle_per_host(usize::MAX)
        .pool_idle_timeout(None);
    match address.scheme() {
        // Reading the system's certificates costs memory, and fails where there are none.
        "http" => client.tls_certs_only([]).build(),
        _ => client.build(),
    }
}

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

/// Sends what async-openai wrote, with the twin's text put in: it is the bulk of a call, and never copied.
#[derive(Clone)]
pub struct Transport {
    client: Client,
    has_key: bool,
    twin: Bytes,
}

impl Transport {
    /// For a call about this twin.
    pub fn new(client: Client, has_key: bool, twin: Bytes) -> Self {
        Self { client, has_key, twin }
    }

    async fn send(self, factory: HttpRequestFactory) -> Result<Response, Failure> {
        let mut request =
            factory.build().await.map_err(|error| Failure::Broken(CallError::garbled(&error.to_string())))?;
        drop(factory);
        let written = request.body().and_then(Body::as_bytes).unwrap_or_default();
        *request.body_mut() = Some(Body::wrap(Pieces(with_twin(written, self.twin).into_iter())));
        if !self.has_key {
            request.headers_mut().remove(AUTHORIZATION);
        }
        let mut response = self.client.execute(request).await.map_err(broken)?;
        if !response.status().is_success() {
            return Err(Failure::Refused(refusal(response).await));
        }
        let body = read(&mut response).await?;
        // Read again by async-openai, but only once it is known that it can be.
        if let Err(error) = serde_json::from_slice::<Reply>(&body) {
            let beginning = String::from_utf8_lossy(&body[..body.len().min(4096)]).into_owned();
            return Err(Failure::Broken(CallError::garbled(&format!("{error}: {beginning}"))));
        }
        Ok(http::Response::new(body).into())
    }
}

/// A body of known length that is written piece by piece, as the connection takes them.
struct Pieces(std::array::IntoIter<Bytes, 3>);

impl http_body::Body for Pieces {
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
    type Response = Response;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Failure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        Box::pin(self.clone().send(factory))
    }
}

fn broken(error: reqwest::Error) -> Failure {
    Failure::Broken(CallError::broken(&error))
}

async fn read(response: &mut Response) -> Result<Vec<u8>, Failure> {
    let too_long = || Failure::Broken(CallError::garbled(&format!("the reply is longer than {REPLY} bytes")));
    let announced = response.content_length().unwrap_or(0);
    if announced > REPLY as u64 {
        return Err(too_long());
    }
    let mut body = Vec::with_capacity(announced as usize);
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len() + chunk.len() > REPLY {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

async fn refusal(mut response: Response) -> Refusal {
    let status = response.status();
    let retry_after = retry_after::read(response.headers(), chrono::Utc::now());
    let mut body = Vec::new();
    let reading = async {
        while body.len() < REFUSAL
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk[..chunk.len().min(REFUSAL - body.len())]);
        }
    };
    // What has come until then is enough.
    let _ = tokio::time::timeout(REFUSAL_TIMEOUT, reading).await;
    Refusal { status, retry_after, body: String::from_utf8_lossy(&body).into_owned() }
}
