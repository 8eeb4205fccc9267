//! HTTP to the model server: the connections, and what is checked of a reply before async-openai reads it.

use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::{HttpRequestFactory, ReqwestService};
use chrono::Utc;
use native_tls::{Protocol, TlsConnector};
use reqwest::header::AUTHORIZATION;
use reqwest::{Client, Response, redirect, retry};
use tokio::time::timeout;
use tower::{Service, ServiceExt};

use super::outcome::HttpRefusal;
use super::rate_limit_headers::RateLimitHeaders;
use super::retry_after;

/// The longest reply that is read, in bytes.
pub const MAX_REPLY: usize = 2 * 1024 * 1024;
/// How much of a refusal's body is read, in bytes, and for how long: its status and headers already say the most.
const MAX_REFUSAL: usize = 64 * 1024;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Routers drop silent connections without notice. A connection is probed after so much silence and in such intervals,
/// and is given up when that many probes, or sent data for that long, are not acknowledged.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);

/// Where a call's rate-limit headers are put: async-openai returns a reply's body alone.
pub type RateLimitSlot = Arc<OnceLock<RateLimitHeaders>>;

/// One for all clients: each reads the system's certificates, which takes OpenSSL some 30 ms. A machine's settings may allow
/// older versions.
static CONNECTOR: LazyLock<TlsConnector> = LazyLock::new(|| {
    let built = TlsConnector::builder().min_protocol_version(Some(Protocol::Tlsv12)).build();
    built.expect("OpenSSL knows TLS 1.2")
});

/// A client for model servers. `call_timeout` is for a whole call, from connecting to the last byte of the reply.
pub fn http_client(call_timeout: Duration) -> reqwest::Result<Client> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(CONNECTOR.clone())
        .timeout(call_timeout)
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(KEEPALIVE)
        .tcp_keepalive_interval(KEEPALIVE)
        .tcp_keepalive_retries(KEEPALIVE_RETRIES)
        .redirect(redirect::Policy::none())
        // The engine decides about retries.
        .retry(retry::never());
    #[cfg(target_os = "linux")]
    {
        builder = builder.tcp_user_timeout(UNACKNOWLEDGED_TIMEOUT);
    }
    builder.build()
}

/// The HTTP service of one call. Its replies are complete and of a limited size; a refusal is an error with what the
/// server says in its status, headers and body. Nothing is sent twice.
pub fn http_service(
    client: Client,
    has_key: bool,
    rate_limits: RateLimitSlot,
) -> impl Service<HttpRequestFactory, Response = Response, Error = OpenAIError, Future: Send> + Clone + Send + Sync {
    ReqwestService::new(client)
        .map_request(move |request| if has_key { request } else { without_key(request) })
        .and_then(move |response| check(response, rate_limits.clone()))
}

/// async-openai sends an empty key where there is none, which some servers refuse.
fn without_key(request: HttpRequestFactory) -> HttpRequestFactory {
    HttpRequestFactory::new(move || {
        let request = request.clone();
        async move {
            let mut request = request.build().await?;
            request.headers_mut().remove(AUTHORIZATION);
            Ok(request)
        }
    })
}

async fn check(response: Response, rate_limits: RateLimitSlot) -> Result<Response, OpenAIError> {
    // A service is used for one call, so the slot is empty.
    let _ = rate_limits.set(RateLimitHeaders::read(response.headers()));
    match response.status().is_success() {
        true => Ok(http::Response::new(read(response).await?).into()),
        false => Err(OpenAIError::Boxed(Box::new(read_refusal(response).await))),
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, OpenAIError> {
    let too_long = || OpenAIError::Boxed(format!("the reply is longer than {MAX_REPLY} bytes").into());
    if response.content_length().is_some_and(|length| length > MAX_REPLY as u64) {
        return Err(too_long());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_REPLY {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

pub async fn read_refusal(mut response: Response) -> HttpRefusal {
    let status = response.status();
    let retry_after = retry_after::read(response.headers(), Utc::now());
    let mut body = Vec::new();
    let reading = async {
        while body.len() < MAX_REFUSAL
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
    };
    // What has arrived by then is enough.
    let _ = timeout(REFUSAL_TIMEOUT, reading).await;
    body.truncate(MAX_REFUSAL);
    HttpRefusal { status, retry_after, body: String::from_utf8_lossy(&body).into_owned() }
}
