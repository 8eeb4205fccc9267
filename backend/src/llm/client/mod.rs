//! One HTTP call to the model server: exactly one request, no retry inside, and every outcome classified.

mod batches;
mod capabilities;
mod outcome;
mod rate_limit_headers;
mod reply;
mod retry_after;
mod transport;

use std::sync::Arc;
use std::time::Instant;

use async_openai::Client;
use async_openai::config::{Config, OpenAIConfig};
use async_openai::error::OpenAIError;
use reqwest::Url;

pub use batches::{BatchError, BatchLine, LineKind, RemoteBatch, custom_id, write_line};
pub use outcome::CallError;
pub use rate_limit_headers::RateLimitHeaders;
pub use reply::{Completion, TokenUsage, is_refused, is_truncated};

use super::prompt::{Dialect, Prompt};
use crate::config::ModelConfig;
use crate::error::{Error, Result};
use capabilities::ServerCapabilities;
use outcome::{HttpRefusal, root_cause};
use reply::Reply;
use transport::{RateLimitSlot, http_client, http_service};

/// A model server and the connections to it. Clones share the connections and what is known of the server.
#[derive(Clone)]
pub struct Llm {
    openai: Client<Arc<dyn Config>>,
    http: reqwest::Client,
    /// For files, which take longer than calls.
    files_http: reqwest::Client,
    address: Url,
    key: Option<Arc<str>>,
    capabilities: Arc<ServerCapabilities>,
}

/// What came of one call.
#[derive(Debug)]
pub struct CallOutcome {
    pub result: Result<Completion, CallError>,
    /// From the headers of the reply, whatever its status; all `None` where no reply came.
    pub rate_limits: RateLimitHeaders,
}

impl Llm {
    /// `base_url` as OpenAI's clients take it, e.g. `http://127.0.0.1:9000/v1`. Nothing is sent yet.
    pub fn new(config: &ModelConfig, base_url: &str) -> Result<Self> {
        let address = parse_address(base_url)?;
        let key = config.api_key.as_deref().map(parse_key).transpose()?.flatten();
        let unusable = |error: reqwest::Error| Error::internal(format!("HTTP client: {}", root_cause(&error)));
        let http = http_client(config.timeout).map_err(unusable)?;
        let files_http = http_client(batches::FILE_TIMEOUT).map_err(unusable)?;
        // Every value is set here, because OpenAIConfig reads the others from the environment.
        let openai = OpenAIConfig::new()
            .with_api_base(address.as_str().trim_end_matches('/'))
            .with_api_key(key.as_deref().unwrap_or_default())
            .with_org_id("")
            .with_project_id("");
        let openai = Client::build(http.clone(), Arc::new(openai) as Arc<dyn Config>);
        Ok(Self { openai, http, files_http, address, key, capabilities: Arc::default() })
    }

    /// The parts of a request that the server accepts, as far as its refusals have shown: build prompts with it.
    pub fn dialect(&self) -> Dialect {
        self.capabilities.dialect()
    }

    /// Asks for the list of models, to find out before anything is paid for whether the server can be reached and
    /// accepts the key. A server without such a list can be reached all the same.
    pub async fn reach(&self) -> Result<()> {
        let unreachable =
            |reason: &str| Error::internal(format!("the model server at {} cannot be reached: {reason}", self.address));
        let mut request = self.http.get(format!("{}/models", self.address.as_str().trim_end_matches('/')));
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let response = request.send().await.map_err(|error| match error.is_timeout() && !error.is_connect() {
            true => unreachable("it did not answer in time"),
            false => unreachable(&root_cause(&error)),
        })?;
        match response.status().as_u16() {
            401 | 403 => Err(Error::internal(format!(
                "the model server at {} refuses the key in OPENAI_API_KEY: {}",
                self.address,
                response.status()
            ))),
            _ => Ok(()),
        }
    }

    /// Sends the prompt once.
    pub async fn ask(&self, prompt: Prompt) -> CallOutcome {
        let start = Instant::now();
        let dialect = prompt.dialect();
        let Prompt { body, model, .. } = prompt;
        let prompt_bytes = body.get().len();
        let rate_limits = RateLimitSlot::default();
        let http = http_service(self.http.clone(), self.key.is_some(), rate_limits.clone());
        let openai = self.openai.clone().with_http_service(http);
        let reply: Result<Reply, OpenAIError> = openai.chat().create_byot(body).await;
        let latency = start.elapsed();
        let result = reply
            .map_err(|error| self.call_error(error, dialect))
            .and_then(|reply| reply.into_completion(model, prompt_bytes, Some(latency)))
            .map_err(|error| error.without_key(self.key.as_deref()));
        CallOutcome { result, rate_limits: rate_limits.get().copied().unwrap_or_default() }
    }

    fn call_error(&self, error: OpenAIError, sent: Dialect) -> CallError {
        match refusal_of(error) {
            Ok(refusal) => self.refused(refusal, sent),
            Err(error) => error,
        }
    }

    /// What a refusal of a request in this dialect means. A part of it that the server does not know is left out of
    /// later requests.
    fn refused(&self, refusal: HttpRefusal, sent: Dialect) -> CallError {
        match refusal.refused_part(sent) {
            Some(part) if self.capabilities.simplify(sent, part) => CallError::NotUnderstood,
            _ => refusal.into_call_error(),
        }
    }
}

/// The refusal in the error. `Err`: there was no reply, or it could not be read.
fn refusal_of(error: OpenAIError) -> std::result::Result<HttpRefusal, CallError> {
    match error {
        OpenAIError::Reqwest(error) => Err(CallError::from_http(&error)),
        OpenAIError::JSONDeserialize(error, body) => Err(CallError::unreadable(&error, &body)),
        OpenAIError::Boxed(error) => match error.downcast::<HttpRefusal>() {
            Ok(refusal) => Ok(*refusal),
            Err(error) => Err(CallError::garbled(&error.to_string())),
        },
        error => Err(CallError::garbled(&error.to_string())),
    }
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

#[cfg(test)]
mod tests;
