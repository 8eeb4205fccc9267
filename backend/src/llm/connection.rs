//! HTTP to one model server: its address and key, the connections, and the limits of what is read. Knows no provider's
//! format. Exactly one request is sent for a call, and nothing is sent twice.

use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use async_openai::config::{Config, OpenAIConfig};
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use chrono::{DateTime, Utc};
use native_tls::{Protocol, TlsConnector};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Request, RequestBuilder, Response, StatusCode, Url, redirect, retry};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout, timeout_at};
use tower::{Service, service_fn};

use super::event_stream::{EventReader, StreamedReply};
use super::outcome::{CallError, root_cause};
use super::without_key::without_key;
use crate::config::ModelConfig;
use crate::error::{Error, Result};

/// Length limit of a reply that is read.
pub const MAX_REPLY_BYTES: usize = 2 * 1024 * 1024;
/// How much of a refusal's body is read: its status and headers already say the most.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;
/// How long a refusal's body is waited for.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for a streamed reply, whatever pieces it comes in.
const LONGEST_STREAM: Duration = Duration::from_secs(3600);
/// Length limit of a streamed reply with all its events: each has some hundred bytes beside its piece of the text.
const MAX_STREAM_BYTES: usize = 32 * MAX_REPLY_BYTES;
/// How long the end of a stream is waited for after its last event, so that the connection can be used again.
const STREAM_END_TIMEOUT: Duration = Duration::from_secs(1);
/// Time limit for the whole upload or download of a file.
const FILE_TIMEOUT: Duration = Duration::from_secs(600);

const JSON: &str = "application/json";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Routers drop silent connections without notice. A connection is probed after so much silence and in such intervals,
/// and is given up when that many probes, or sent data for that long, are not acknowledged.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);

/// One for all clients: each reads the system's certificates, which takes OpenSSL some 30 ms. A machine's settings may allow
/// older versions.
static CONNECTOR: LazyLock<TlsConnector> = LazyLock::new(|| {
    let built = TlsConnector::builder().min_protocol_version(Some(Protocol::Tlsv12)).build();
    built.expect("OpenSSL knows TLS 1.2")
});

/// A model server and the connections to it. Clones share the connections.
#[derive(Clone)]
pub struct Connection {
    calls: Client,
    /// Client for files, which take longer than calls.
    files: Client,
    address: Url,
    key: Option<Arc<str>>,
    limits: TimeLimits,
}

/// How long a call may take.
#[derive(Clone, Copy)]
struct TimeLimits {
    /// Limit to the end of a whole reply, or to the first piece of a streamed one.
    call: Duration,
    /// Limit between two pieces of a streamed reply.
    idle: Duration,
}

/// async-openai's client. Its tower service sends each request once.
pub type OpenAi = async_openai::Client<Arc<dyn Config>>;

/// Slot for the headers of a call's reply: async-openai returns a reply's body alone.
pub type HeaderSlot = Arc<OnceLock<HeaderMap>>;

/// A reply whose status is not a success.
#[derive(Debug, thiserror::Error)]
#[error("{status}")]
pub struct HttpRefusal {
    pub status: StatusCode,
    /// Boxed, because results carry refusals as errors.
    pub headers: Box<HeaderMap>,
    pub received_at: DateTime<Utc>,
    /// The beginning of the body, in whatever format.
    pub body: String,
}

impl HttpRefusal {
    /// A refusal that came in the body of another reply.
    pub fn embedded(status: StatusCode, body: String) -> Self {
        Self { status, headers: Box::default(), received_at: Utc::now(), body }
    }
}

impl Connection {
    /// `base_url`: paths are below it. `headers`: those of every request, from the key. Nothing is sent yet.
    pub fn new(
        config: &ModelConfig,
        base_url: &str,
        headers: impl FnOnce(Option<&str>) -> Vec<(&'static str, String)>,
    ) -> Result<Self> {
        let address = parse_address(base_url)?;
        let key = config.api_key.as_deref().map(parse_key).transpose()?.flatten();
        let unusable = |error: reqwest::Error| Error::internal(format!("HTTP client: {}", root_cause(&error)));
        let headers = header_map(headers(key.as_deref()))?;
        let calls = http_client(config.timeout, headers.clone()).map_err(unusable)?;
        let files = http_client(FILE_TIMEOUT, headers).map_err(unusable)?;
        let limits = TimeLimits { call: config.timeout, idle: config.idle_timeout };
        Ok(Self { calls, files, address, key, limits })
    }

    pub fn address(&self) -> &Url {
        &self.address
    }

    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// A request for a file at this path below the server's address, with the time-out of files.
    pub fn get_file(&self, path: &str) -> RequestBuilder {
        self.files.get(self.below(path))
    }

    /// A request for what lies at this path below the server's address.
    pub fn get(&self, path: &str) -> RequestBuilder {
        self.calls.get(self.below(path))
    }

    pub fn delete(&self, path: &str) -> RequestBuilder {
        self.calls.delete(self.below(path))
    }

    /// A request with JSON to this path below the server's address.
    pub fn post(&self, path: &str) -> RequestBuilder {
        self.calls.post(self.below(path)).header(CONTENT_TYPE, JSON)
    }

    /// A request with a large body to this path below the server's address, with the time-out of files.
    pub fn post_file(&self, path: &str) -> RequestBuilder {
        self.files.post(self.below(path)).header(CONTENT_TYPE, JSON)
    }

    /// Sends a call once. Returns its reply, put together if it is streamed, and how long it took, and the headers if any
    /// came. `streams`: the call asks for a stream.
    pub async fn ask<R: StreamedReply>(
        &self,
        path: &str,
        body: Box<RawValue>,
        streams: bool,
    ) -> (std::result::Result<(Box<RawValue>, Duration), CallFailure>, Option<HeaderMap>) {
        let start = Instant::now();
        let headers = HeaderSlot::default();
        let reply = match self.post(path).body(Box::<str>::from(body).into_string()).build() {
            Ok(request) if streams => exchange_stream::<R>(&self.calls, request, self.limits, &headers).await,
            Ok(request) => exchange(&self.calls, request, &headers).await,
            Err(error) => Err(error.into()),
        };
        let reply = reply.and_then(|body| parse(&without_key(body, self.key())));
        (reply.map(|body| (body, start.elapsed())), headers.get().cloned())
    }

    /// Sends a request once and reads the JSON of its reply.
    pub async fn read_json<T: DeserializeOwned>(&self, request: RequestBuilder) -> std::result::Result<T, CallFailure> {
        let response = request.send().await?;
        parse(&without_key(read_reply(response).await?, self.key()))
    }

    /// Sends a request once and returns the headers of its reply.
    pub async fn read_headers(&self, request: RequestBuilder) -> std::result::Result<HeaderMap, CallFailure> {
        let response = request.send().await?;
        let headers = response.headers().clone();
        read_reply(response).await.map(|_| headers)
    }

    /// The path and query of an address that the server gave, below this server's own address.
    pub fn path_at(&self, address: &str) -> Option<String> {
        let given = Url::parse(address).ok()?;
        let path = given.path().strip_prefix(self.address.path().trim_end_matches('/'))?;
        let query = given.query().map(|query| format!("?{query}")).unwrap_or_default();
        Some(format!("{path}{query}"))
    }

    /// async-openai for one call. The headers of the reply are put into the slot.
    pub fn openai(&self, headers: HeaderSlot) -> OpenAi {
        let service = http_service(self.calls.clone(), self.key.clone(), headers);
        self.openai_by(&self.calls).with_http_service(service)
    }

    /// async-openai for one call whose reply may be streamed: it is put together. The headers are put into the slot.
    pub fn openai_streaming<R: StreamedReply + 'static>(&self, headers: HeaderSlot) -> OpenAi {
        let service = streaming_service::<R>(self.calls.clone(), self.key.clone(), self.limits, headers);
        self.openai_by(&self.calls).with_http_service(service)
    }

    /// async-openai for the upload of a file.
    pub fn openai_for_files(&self) -> OpenAi {
        let service = http_service(self.files.clone(), self.key.clone(), HeaderSlot::default());
        self.openai_by(&self.files).with_http_service(service)
    }

    fn openai_by(&self, client: &Client) -> OpenAi {
        // Every value is set here, because OpenAIConfig reads the others from the environment.
        let config = OpenAIConfig::new()
            .with_api_base(self.below(""))
            .with_api_key(self.key.as_deref().unwrap_or_default())
            .with_org_id("")
            .with_project_id("");
        async_openai::Client::build(client.clone(), Arc::new(config) as Arc<dyn Config>)
    }

    fn below(&self, path: &str) -> String {
        format!("{}{path}", self.address.as_str().trim_end_matches('/'))
    }
}

/// Why a request has no reply to read.
#[derive(Debug, thiserror::Error)]
pub enum CallFailure {
    /// The server refused it. The wire knows what that means.
    #[error(transparent)]
    Refused(HttpRefusal),
    /// There was no reply, or it could not be read.
    #[error(transparent)]
    Failed(CallError),
}

impl From<reqwest::Error> for CallFailure {
    fn from(error: reqwest::Error) -> Self {
        Self::Failed(CallError::from_http(&error))
    }
}

impl From<CallError> for CallFailure {
    fn from(error: CallError) -> Self {
        Self::Failed(error)
    }
}

impl From<OpenAIError> for CallFailure {
    fn from(error: OpenAIError) -> Self {
        match error {
            OpenAIError::Reqwest(error) => Self::Failed(CallError::from_http(&error)),
            OpenAIError::JSONDeserialize(error, body) => Self::Failed(CallError::unreadable(&error, &body)),
            OpenAIError::Boxed(error) => match error.downcast::<Self>() {
                Ok(failure) => *failure,
                Err(error) => Self::Failed(CallError::garbled(&error.to_string())),
            },
            error => Self::Failed(CallError::garbled(&error.to_string())),
        }
    }
}

/// A client for model servers. `call_timeout` is for a whole call, from connecting to the last byte of the reply.
fn http_client(call_timeout: Duration, headers: HeaderMap) -> reqwest::Result<Client> {
    let mut builder = Client::builder()
        .default_headers(headers)
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

fn header_map(headers: Vec<(&'static str, String)>) -> Result<HeaderMap> {
    let header = |(name, value): (&'static str, String)| {
        let mut value = HeaderValue::try_from(value).map_err(|error| Error::internal(error.to_string()))?;
        value.set_sensitive(true);
        Ok((HeaderName::from_static(name), value))
    };
    headers.into_iter().map(header).collect()
}

/// The body of a success of a limited length.
async fn read_reply(response: Response) -> std::result::Result<Vec<u8>, CallFailure> {
    whole(accepted(response, &HeaderSlot::default()).await?).await
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> std::result::Result<T, CallFailure> {
    let unreadable = |error| CallError::unreadable(&error, &String::from_utf8_lossy(body));
    Ok(serde_json::from_slice(body).map_err(unreadable)?)
}

/// The HTTP service of one call. Its replies are complete and of a limited size; a refusal is an error with what the
/// server says in its status, headers and body. Nothing is sent twice.
fn http_service(
    client: Client,
    key: Option<Arc<str>>,
    headers: HeaderSlot,
) -> impl Service<HttpRequestFactory, Response = Response, Error = OpenAIError, Future: Send> + Clone + Send + Sync {
    service_fn(move |factory: HttpRequestFactory| {
        let (client, key, headers) = (client.clone(), key.clone(), headers.clone());
        async move {
            let request = build(factory, key.is_some()).await?;
            in_service(exchange(&client, request, &headers).await, key.as_deref())
        }
    })
}

/// Like [`http_service`], for a reply that may be streamed.
fn streaming_service<R: StreamedReply>(
    client: Client,
    key: Option<Arc<str>>,
    limits: TimeLimits,
    headers: HeaderSlot,
) -> impl Service<HttpRequestFactory, Response = Response, Error = OpenAIError, Future: Send> + Clone + Send + Sync {
    service_fn(move |factory: HttpRequestFactory| {
        let (client, key, headers) = (client.clone(), key.clone(), headers.clone());
        async move {
            let request = build(factory, key.is_some()).await?;
            in_service(exchange_stream::<R>(&client, request, limits, &headers).await, key.as_deref())
        }
    })
}

/// async-openai sends an empty key where there is none, which some servers refuse.
async fn build(factory: HttpRequestFactory, has_key: bool) -> std::result::Result<Request, OpenAIError> {
    let mut request = factory.build().await?;
    if !has_key {
        request.headers_mut().remove(AUTHORIZATION);
    }
    Ok(request)
}

fn in_service(
    reply: std::result::Result<Vec<u8>, CallFailure>,
    key: Option<&str>,
) -> std::result::Result<Response, OpenAIError> {
    let boxed = |failure| OpenAIError::Boxed(Box::new(failure));
    reply.map(|body| http::Response::new(without_key(body, key)).into()).map_err(boxed)
}

/// Sends a request once and reads the whole reply, within the client's time limit.
async fn exchange(
    client: &Client,
    request: Request,
    headers: &HeaderSlot,
) -> std::result::Result<Vec<u8>, CallFailure> {
    whole(accepted(client.execute(request).await?, headers).await?).await
}

/// Sends a request for a stream once, and reads the reply within these limits, whichever form it has.
async fn exchange_stream<R: StreamedReply>(
    client: &Client,
    mut request: Request,
    limits: TimeLimits,
    headers: &HeaderSlot,
) -> std::result::Result<Vec<u8>, CallFailure> {
    *request.timeout_mut() = Some(LONGEST_STREAM);
    let begin_by = Instant::now() + limits.call;
    let late = || CallFailure::from(CallError::late(limits.call));
    let response = timeout_at(begin_by, client.execute(request)).await.map_err(|_| late())??;
    let response = accepted(response, headers).await?;
    if is_stream(&response) {
        return Ok(read_stream::<R>(response, limits, begin_by).await?.into_bytes());
    }
    let body = timeout_at(begin_by, whole(response)).await.unwrap_or_else(|_| Err(late()))?;
    // Some proxies hold a stream back and give it another content type.
    match body.starts_with(b"data:") || body.starts_with(b"event:") {
        true => Ok(put_together::<R>(&body)?.into_bytes()),
        false => Ok(body),
    }
}

/// Puts the events of a stream together that has arrived as a whole.
fn put_together<R: StreamedReply>(body: &[u8]) -> std::result::Result<String, CallError> {
    let (mut events, mut reply) = (EventReader::default(), R::default());
    events.push(body);
    add_events(&mut reply, &mut events)?;
    reply.finish()
}

/// Adds the complete events to the reply. Returns whether it is over.
fn add_events<R: StreamedReply>(reply: &mut R, events: &mut EventReader) -> std::result::Result<bool, CallError> {
    while let Some(event) = events.next_event()? {
        if reply.add(&event)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Keeps the headers. Fails unless the status is a success.
async fn accepted(response: Response, headers: &HeaderSlot) -> std::result::Result<Response, CallFailure> {
    // A service is used for one call, so the slot is empty.
    let _ = headers.set(response.headers().clone());
    match response.status().is_success() {
        true => Ok(response),
        false => Err(CallFailure::Refused(read_refusal(response).await)),
    }
}

async fn whole(mut response: Response) -> std::result::Result<Vec<u8>, CallFailure> {
    let too_long = || CallError::garbled(&format!("the reply is longer than {MAX_REPLY_BYTES} bytes"));
    if response.content_length().is_some_and(|length| length > MAX_REPLY_BYTES as u64) {
        return Err(too_long().into());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_REPLY_BYTES {
            return Err(too_long().into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Whether the reply is a stream of events. A server may answer a request for one with a whole reply.
fn is_stream(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Reads a stream and puts its events together. An event or a comment shows that the server is at work, so the time limit
/// begins again; bytes that end none do not.
async fn read_stream<R: StreamedReply>(
    mut response: Response,
    limits: TimeLimits,
    begin_by: Instant,
) -> std::result::Result<String, CallFailure> {
    let (mut events, mut reply) = (EventReader::default(), R::default());
    let (mut deadline, mut length, mut is_over) = (begin_by, 0, false);
    loop {
        let chunk = match timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break,
            // Nothing is missing after the last event.
            Ok(Err(_)) | Err(_) if is_over => break,
            Ok(Err(error)) => return Err(error.into()),
            Err(_) if events.blocks() == 0 => return Err(CallError::late(limits.call).into()),
            Err(_) => return Err(CallError::silent(limits.idle).into()),
        };
        length += chunk.len();
        let blocks = events.blocks();
        events.push(&chunk);
        if !is_over {
            is_over = add_events(&mut reply, &mut events)?;
            if is_over {
                deadline = Instant::now() + STREAM_END_TIMEOUT;
            }
        }
        if length > MAX_STREAM_BYTES || events.pending_bytes() > MAX_REPLY_BYTES {
            return Err(CallError::garbled("the stream is too long").into());
        }
        if !is_over && events.blocks() > blocks {
            deadline = Instant::now() + limits.idle;
        }
    }
    Ok(reply.finish()?)
}

pub async fn read_refusal(mut response: Response) -> HttpRefusal {
    let status = response.status();
    let (headers, received_at) = (Box::new(response.headers().clone()), Utc::now());
    let mut body = Vec::new();
    let reading = async {
        while body.len() < MAX_REFUSAL_BYTES
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
    };
    // What has arrived by then is enough.
    let _ = timeout(REFUSAL_TIMEOUT, reading).await;
    body.truncate(MAX_REFUSAL_BYTES);
    HttpRefusal { status, headers, received_at, body: String::from_utf8_lossy(&body).into_owned() }
}

fn parse_address(base_url: &str) -> Result<Url> {
    let refuse = |why: &str| Error::bad_input(format!("OPENAI_BASE_URL: {base_url:?} {why}"));
    let address = Url::parse(base_url.trim()).map_err(|error| refuse(&format!("is no address: {error}")))?;
    match address.scheme() {
        "http" | "https" if address.query().is_some() => Err(refuse("must not have a query")),
        "http" | "https" => Ok(address),
        _ => Err(refuse("must begin with http:// or https://")),
    }
}

/// `None` where it is blank. async-openai panics on a key that no header can hold.
fn parse_key(key: &str) -> Result<Option<Arc<str>>> {
    let key = key.trim();
    if let Some(position) = key.chars().position(|c| !c.is_ascii_graphic()) {
        return Err(Error::bad_input(format!(
            "OPENAI_API_KEY: character {} is no visible ASCII character",
            position + 1
        )));
    }
    Ok((!key.is_empty()).then(|| key.into()))
}
