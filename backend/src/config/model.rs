//! A model server, and the checks of what names one.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use simulation::known_parameters::KnownParameter;
use simulation::wire::Wire;

use super::prices::Prices;

/// Length limit of a model's name in characters.
const MAX_MODEL_CHARS: usize = 200;

/// A model server and the limits on calls to it.
#[derive(Clone)]
pub struct ModelConfig {
    /// Name in the file of model servers, or that of the short form.
    pub name: String,
    /// The API that the server speaks.
    pub wire: Wire,
    /// Address of the server as the provider's own clients take it, for example `https://api.openai.com/v1`. `None`: the
    /// built-in demo model.
    pub base_url: Option<String>,
    /// Place where the key is looked for, for people. `None`: the server takes none, or the short form's variable.
    pub key_source: Option<String>,
    pub api_key: Option<String>,
    /// The model of runs that name none.
    pub model: String,
    /// The models that a simulation may name.
    pub models: Vec<String>,
    /// Models that are known to reason before they answer.
    pub reasoning: Vec<String>,
    /// Effects of parameters by model, as the installation's file states them.
    pub known: BTreeMap<String, Vec<KnownParameter>>,
    /// Tokens that a prompt and its answers may have together, by model. Others have no limit that is known.
    pub contexts: BTreeMap<String, u32>,
    pub prices: Prices,
    /// Requests per minute over all workers. `None`: not set.
    pub rpm: Option<u32>,
    /// Tokens per minute over all workers. `None`: not set.
    pub tpm: Option<u32>,
    /// Calls in flight over all workers; `u32::MAX` is no limit.
    pub max_concurrency: u32,
    pub questions_per_call: u16,
    /// Time limit of a call: to the first piece of a streamed reply, or to the end of another.
    pub timeout: Duration,
    /// Time limit between two pieces of a streamed reply.
    pub idle_timeout: Duration,
    /// Whether new simulations stream.
    pub stream: bool,
    pub max_attempts: u16,
}

impl ModelConfig {
    pub fn is_demo(&self) -> bool {
        self.base_url.is_none()
    }

    /// Whether a new simulation streams. The demo model answers at once, and batches have no one to stream to.
    pub fn streams(&self, batch: bool) -> bool {
        self.stream && !self.is_demo() && !batch
    }
}

/// Omits the secrets, so that a log line cannot leak one.
impl fmt::Debug for ModelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelConfig")
            .field("name", &self.name)
            .field("wire", &self.wire)
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("rpm", &self.rpm)
            .field("tpm", &self.tpm)
            .field("max_concurrency", &self.max_concurrency)
            .field("questions_per_call", &self.questions_per_call)
            .field("timeout", &self.timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("stream", &self.stream)
            .field("max_attempts", &self.max_attempts)
            .finish_non_exhaustive()
    }
}

/// Checks the name of a model and trims it, for `LLM_MODEL`, `--model` and the API.
pub fn model_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > MAX_MODEL_CHARS || name.contains(char::is_control) {
        return Err(format!("takes 1 to {MAX_MODEL_CHARS} printable characters"));
    }
    Ok(name.to_owned())
}

/// Checks a URL, and returns it without a slash at its end. Messages do not contain it, because it may hold a password.
pub fn checked_url(text: &str, schemes: &[&str]) -> Result<String, String> {
    let text = text.trim();
    let parsed = Url::parse(text).map_err(|reason| format!("is not a URL: {reason}"))?;
    if !schemes.contains(&parsed.scheme()) {
        return Err(format!("must start with {}://", schemes.join(":// or ")));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Checks the address of a model server, and returns it without a slash at its end.
pub fn http_url(text: &str) -> Result<String, String> {
    checked_url(text, &["http", "https"])
}
