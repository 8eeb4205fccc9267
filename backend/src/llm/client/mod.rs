//! One HTTP call to the model server: exactly one request, no retry inside, and every outcome named.

mod connections;
mod dialect;
mod outcome;
mod rate_limit_headers;
mod reply;
mod retry_after;
mod transport;

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use async_openai::Client;
use async_openai::config::{Config, OpenAIConfig};
use async_openai::error::OpenAIError;
use http::Request;
use http::header::AUTHORIZATION;
use reqwest::Url;

pub use outcome::CallError;
pub use rate_limit_headers::RateLimitHeaders;
pub use reply::{Completion, Usage};

use super::prompt::{Dialect, Prompt};
use crate::config::ModelConfig;
use crate::error::{Error, Result};
use connections::Connections;
use dialect::KnownDialect;
use transport::{Failure, Heard, Pieces, Server, Transport};

/// A model server and the connections to it. Clones share the connections, and what is known of the server.
#[derive(Clone)]
pub struct Llm {
    openai: Client<Arc<dyn Config>>,
    server: Server,
    address: Url,
    key: Option<Arc<str>>,
    dialect: Arc<KnownDialect>,
}

impl Llm {
    /// `base_url` as OpenAI's clients take it, e.g. `http://127.0.0.1:9000/v1`. Nothing is sent yet.
    pub fn new(config: &ModelConfig, base_url: &str) -> Result<Self> {
        let address = parse_address(base_url)?;
        let key = config.api_key.as_deref().map(parse_key).transpose()?.flatten();
        let connections = Connections::new(address.scheme())
            .map_err(|error| Error::internal(format!("HTTP client: {}", outcome::root_cause(&error))))?;
        let server = Server { connections, timeout: config.timeout, has_key: key.is_some() };
        // Every value is set here: OpenAIConfig's own defaults read the environment.
        let openai = OpenAIConfig::new()
            .with_api_base(address.as_str().trim_end_matches('/'))
            .with_api_key(key.as_deref().unwrap_or_default())
            .with_org_id("")
            .with_project_id("");
        let openai = Client::build(unused_client()?, Arc::new(openai) as Arc<dyn Config>);
        Ok(Self { openai, server, address, key, dialect: Arc::default() })
    }

    /// How prompts for this server are built, as far as its refusals have taught.
    pub fn dialect(&self) -> Dialect {
        self.dialect.get()
    }

    /// Asks for the list of models, to find out before anything is paid for whether somebody is there who takes our
    /// key. A server that has no such list is there all the same.
    pub async fn reach(&self) -> Result<()> {
        let unreachable =
            |reason: &str| Error::internal(format!("the model server at {} cannot be reached: {reason}", self.address));
        let list = format!("{}/models", self.address.as_str().trim_end_matches('/'));
        let mut request = Request::get(list);
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        let request = request.body(Pieces::none()).map_err(|error| unreachable(&error.to_string()))?;
        let answer = tokio::time::timeout(self.server.timeout, self.server.connections.send(request))
            .await
            .map_err(|_| unreachable("it did not answer in time"))?
            .map_err(|error| unreachable(&outcome::root_cause(&error)))?;
        match answer.status().as_u16() {
            401 | 403 => Err(Error::internal(format!(
                "the model server at {} refuses the key in OPENAI_API_KEY: {}",
                self.address,
                answer.status()
            ))),
            _ => Ok(()),
        }
    }

    /// Sends the prompt once.
    pub async fn ask(&self, prompt: Prompt) -> Result<Completion, CallError> {
        let start = Instant::now();
        let (body, twin, prompt) = prompt.into_parts();
        let heard = Heard::default();
        let transport = Transport { server: self.server.clone(), twin, heard: heard.clone() };
        let openai = self.openai.clone().with_http_service(transport);
        let called: Result<(), OpenAIError> = openai.chat().create_byot(body).await;
        let latency = start.elapsed();
        called
            .map_err(|error| self.name(error, prompt.dialect))
            .and_then(|()| {
                let reply = heard.lock().unwrap_or_else(PoisonError::into_inner).take();
                reply.ok_or_else(|| CallError::garbled("no reply"))
            })
            .and_then(|reply| reply.complete(&prompt, latency))
            .map_err(|error| error.without(self.key.as_deref()))
    }

    fn name(&self, error: OpenAIError, spoken: Dialect) -> CallError {
        let failure = match error {
            OpenAIError::Boxed(error) => match error.downcast::<Failure>() {
                Ok(failure) => *failure,
                Err(error) => return CallError::garbled(&error.to_string()),
            },
            error => return CallError::garbled(&error.to_string()),
        };
        let refusal = match failure {
            Failure::Broken(error) => return error,
            Failure::Refused(refusal) => refusal,
        };
        match refusal.part_refused(spoken) {
            Some(part) if self.dialect.step_down(spoken, part) => CallError::NotUnderstood,
            _ => refusal.name(),
        }
    }
}

/// async-openai wants one; every call goes through [`Transport`].
fn unused_client() -> Result<reqwest::Client> {
    let client = reqwest::Client::builder().build();
    client.map_err(|error| Error::internal(format!("HTTP client: {}", outcome::root_cause(&error))))
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

/// `None` where it is blank. A key with a line break would make the client panic at its first call.
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
