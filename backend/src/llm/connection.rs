//! HTTP to one model server: its address and key, the connections, and the limits of what is read. Knows no provider's
//! format. Exactly one request is sent for a call, and nothing is sent twice.

use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant};

use async_openai::config::{Config, OpenAIConfig};
use async_openai::error::OpenAIError;
use async_openai::middleware::{HttpRequestFactory, ReqwestService};
use chrono::{DateTime, Utc};
use native_tls::{Protocol, TlsConnector};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, redirect, retry};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::timeout;
use tower::{Service, ServiceExt};

use super::outcome::{CallError, root_cause};
use crate::config::ModelConfig;
use crate::error::{Error, Result};

/// Length limit of a reply that is read.
pub const MAX_REPLY_BYTES: usize = 2 * 1024 * 1024;
/// How much of a refusal's body is read: its status and headers already say the most.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;
/// How long a refusal's body is waited for.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);
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
        Ok(Self { calls, files, address, key })
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

    /// Sends a call once. Returns its reply and how long it took, and the headers if any came.
    pub async fn ask(
        &self,
        path: &str,
        body: Box<RawValue>,
    ) -> (std::result::Result<(Box<RawValue>, Duration), CallFailure>, Option<HeaderMap>) {
        let start = Instant::now();
        let response = match self.post(path).body(Box::<str>::from(body).into_string()).send().await {
            Ok(response) => response,
            Err(error) => return (Err(CallError::from_http(&error).into()), None),
        };
        let headers = response.headers().clone();
        let reply = read_reply(response).await.and_then(|body| parse(&body));
        (reply.map(|body| (body, start.elapsed())), Some(headers))
    }

    /// Sends a request once and reads the JSON of its reply.
    pub async fn read_json<T: DeserializeOwned>(&self, request: RequestBuilder) -> std::result::Result<T, CallFailure> {
        let response = request.send().await.map_err(|error| CallError::from_http(&error))?;
        parse(&read_reply(response).await?)
    }

    /// Sends a request once and returns the headers of its reply.
    pub async fn read_headers(&self, request: RequestBuilder) -> std::result::Result<HeaderMap, CallFailure> {
        let response = request.send().await.map_err(|error| CallError::from_http(&error))?;
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
        self.openai_by(&self.calls, headers)
    }

    /// async-openai for the upload of a file.
    pub fn openai_for_files(&self) -> OpenAi {
        self.openai_by(&self.files, HeaderSlot::default())
    }

    fn openai_by(&self, client: &Client, headers: HeaderSlot) -> OpenAi {
        // Every value is set here, because OpenAIConfig reads the others from the environment.
        let config = OpenAIConfig::new()
            .with_api_base(self.below(""))
            .with_api_key(self.key.as_deref().unwrap_or_default())
            .with_org_id("")
            .with_project_id("");
        let openai = async_openai::Client::build(client.clone(), Arc::new(config) as Arc<dyn Config>);
        openai.with_http_service(http_service(client.clone(), self.key.is_some(), headers))
    }

    fn below(&self, path: &str) -> String {
        format!("{}{path}", self.address.as_str().trim_end_matches('/'))
    }
}

/// Why a request has no reply to read.
#[derive(Debug)]
pub enum CallFailure {
    /// The server refused it. The wire knows what that means.
    Refused(HttpRefusal),
    /// There was no reply, or it could not be read.
    Failed(CallError),
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
            OpenAIError::Boxed(error) => match error.downcast::<HttpRefusal>() {
                Ok(refusal) => Self::Refused(*refusal),
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
    match response.status().is_success() {
        true => Ok(read(response).await?),
        false => Err(CallFailure::Refused(read_refusal(response).await)),
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> std::result::Result<T, CallFailure> {
    let unreadable = |error| CallError::unreadable(&error, &String::from_utf8_lossy(body));
    Ok(serde_json::from_slice(body).map_err(unreadable)?)
}

/// The HTTP service of one call. Its replies are complete and of a limited size; a refusal is an error with what the
/// server says in its status, headers and body. Nothing is sent twice.
fn http_service(
    client: Client,
    has_key: bool,
    headers: HeaderSlot,
) -> impl Service<HttpRequestFactory, Response = Response, Error = OpenAIError, Future: Send> + Clone + Send + Sync {
    ReqwestService::new(client)
        .map_request(move |request| if has_key { request } else { without_key(request) })
        .and_then(move |response| check(response, headers.clone()))
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

async fn check(response: Response, headers: HeaderSlot) -> std::result::Result<Response, OpenAIError> {
    // A service is used for one call, so the slot is empty.
    let _ = headers.set(response.headers().clone());
    match response.status().is_success() {
        true => Ok(http::Response::new(read(response).await?).into()),
        false => Err(OpenAIError::Boxed(Box::new(read_refusal(response).await))),
    }
}

async fn read(mut response: Response) -> std::result::Result<Vec<u8>, OpenAIError> {
    let too_long = || OpenAIError::Boxed(format!("the reply is longer than {MAX_REPLY_BYTES} bytes").into());
    if response.content_length().is_some_and(|length| length > MAX_REPLY_BYTES as u64) {
        return Err(too_long());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_REPLY_BYTES {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
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
