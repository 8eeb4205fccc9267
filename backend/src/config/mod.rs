//! The only reader of the environment: every variable is a flag too, and a bad value stops the start with one line.

mod options;
mod secret;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;

use crate::email::Email;
use crate::error::{Error, Result};

pub use options::{LogFormat, Options};
pub use secret::Secret;

const OPENAI: &str = "https://api.openai.com/v1";

/// Where answers come from and how hard it may be asked.
#[derive(Clone)]
pub struct ModelConfig {
    /// Base address of an OpenAI-compatible server, e.g. `https://api.openai.com/v1`. `None`: the built-in demo model.
    pub base_url: Option<String>,
    pub api_key: Option<String>,
    pub model: String,
    /// Requests a minute over all workers. `None`: no limit.
    pub rpm: Option<u32>,
    /// Tokens a minute over all workers. `None`: no limit.
    pub tpm: Option<u32>,
    /// Calls under way at once over all workers; `u32::MAX` is no limit.
    pub max_concurrency: u32,
    pub questions_per_call: u16,
    pub timeout: Duration,
    pub max_attempts: u16,
}

impl ModelConfig {
    pub fn is_demo(&self) -> bool {
        self.base_url.is_none()
    }
}

#[derive(Clone)]
pub struct Config {
    /// `None`: a private PostgreSQL in `data_dir`.
    pub database_url: Option<String>,
    pub data_dir: PathBuf,
    /// `None`: searched for on this machine.
    pub pg_bin_dir: Option<PathBuf>,
    pub host: String,
    pub port: u16,
    /// Without a slash at its end. `None`: where the server listens.
    pub public_url: Option<String>,
    /// Origins whose pages may call the API, e.g. `https://lab.example`. None: only the product's own.
    pub cors_origins: Vec<String>,
    /// `None`: generated once in `data_dir`; ask [`Config::session_secret`].
    pub jwt_secret: Option<Secret>,
    pub super_admin_email: Option<Email>,
    /// `None`: mails become files in `data_dir`.
    pub smtp_url: Option<Secret>,
    /// There whenever `smtp_url` is.
    pub mail_from: Option<String>,
    pub contact_email: Email,
    pub model: ModelConfig,
    pub max_running_simulations: usize,
    pub log_filter: String,
    pub log_format: LogFormat,
}

/// Without the secrets, so that a log line cannot leak one.
impl fmt::Debug for ModelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelConfig")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("rpm", &self.rpm)
            .field("tpm", &self.tpm)
            .field("max_concurrency", &self.max_concurrency)
            .field("questions_per_call", &self.questions_per_call)
            .field("timeout", &self.timeout)
            .field("max_attempts", &self.max_attempts)
            .finish_non_exhaustive()
    }
}

/// Without the secrets and the URLs that hold passwords.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("data_dir", &self.data_dir)
            .field("host", &self.host)
            .field("port", &self.port)
            .field("public_url", &self.public_url)
            .field("model", &self.model)
            .field("max_running_simulations", &self.max_running_simulations)
            .finish_non_exhaustive()
    }
}

impl TryFrom<Options> for Config {
    type Error = Error;

    /// Fails with bad input naming the first variable that cannot work.
    fn try_from(options: Options) -> Result<Self> {
        let model = model(&options)?;
        if let Some(url) = &options.database_url {
            url_of("DATABASE_URL", url, &["postgres", "postgresql"])?;
            check_encryption(url)?;
        }
        if let Some(secret) = options.jwt_secret.as_ref().filter(|secret| secret.len() < secret::SHORTEST) {
            let length = secret.len();
            return Err(bad("JWT_SECRET", format!("is {length} bytes long; it takes {} or more", secret::SHORTEST)));
        }
        if let Some(url) = &options.smtp_url {
            url_of("SMTP_URL", url, &["smtp", "smtps"])?;
            if options.mail_from.is_none() {
                return Err(bad("MAIL_FROM", "is needed with SMTP_URL: the sender of mails"));
            }
        }
        if options.mail_from.as_ref().is_some_and(|from| !from.contains('@') || from.contains(char::is_control)) {
            return Err(bad("MAIL_FROM", "is not an e-mail address"));
        }
        if options.host.is_empty() || options.host.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(bad("HOST", "is not an address to listen on"));
        }
        let public_url = match &options.public_url {
            Some(url) => Some(url_of("PUBLIC_URL", url, &["http", "https"])?),
            None => None,
        };
        let email = |name, text: &str| Email::parse(text).map_err(|reason| bad(name, reason.to_string()));
        Ok(Self {
            database_url: options.database_url,
            data_dir: options.data_dir,
            pg_bin_dir: options.pg_bin_dir,
            public_url,
            cors_origins: origins(&options.cors_origins)?,
            host: options.host,
            port: options.port,
            jwt_secret: options.jwt_secret.map(Secret::new),
            super_admin_email: match &options.super_admin_email {
                Some(text) => Some(email("SUPER_ADMIN_EMAIL", text)?),
                None => None,
            },
            smtp_url: options.smtp_url.map(Secret::new),
            mail_from: options.mail_from,
            contact_email: email("CONTACT_EMAIL", &options.contact_email)?,
            model,
            max_running_simulations: options.max_running_simulations.into(),
            log_filter: options.rust_log,
            log_format: options.log_format,
        })
    }
}

fn model(options: &Options) -> Result<ModelConfig> {
    let api_key = options.openai_api_key.as_ref().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    if api_key.as_ref().is_some_and(|key| !key.chars().all(|c| c.is_ascii_graphic())) {
        // The key goes into an HTTP header: a line break in it would fail every call, much later.
        return Err(bad("OPENAI_API_KEY", "holds a blank, a line break or another character that no key has"));
    }
    let base_url = match &options.openai_base_url {
        Some(url) => Some(url_of("OPENAI_BASE_URL", url, &["http", "https"])?),
        None => api_key.is_some().then(|| OPENAI.to_owned()),
    };
    let demo = base_url.is_none();
    let limit = |given: Option<u32>, usual: u32| given.or((!demo).then_some(usual));
    Ok(ModelConfig {
        model: match &options.llm_model {
            Some(name) => model_name(name).map_err(|_| bad("LLM_MODEL", "is not the name of a model"))?,
            None if demo => "twinlab-demo".to_owned(),
            None => "gpt-4.1-mini".to_owned(),
        },
        base_url,
        api_key,
        rpm: limit(options.llm_rpm, 500),
        tpm: limit(options.llm_tpm, 200_000),
        max_concurrency: limit(options.llm_max_concurrency, 256).unwrap_or(u32::MAX),
        questions_per_call: options.llm_questions_per_call,
        timeout: Duration::from_secs(options.llm_timeout_s.into()),
        max_attempts: options.llm_max_attempts,
    })
}

/// The longest name of a model, in characters.
const MAX_MODEL_NAME: usize = 200;

/// The name of a model without surrounding white space. The error is a phrase for after the option's name.
pub fn model_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_MODEL_NAME || name.contains(char::is_control) {
        return Err(format!("takes 1 to {MAX_MODEL_NAME} printable characters"));
    }
    Ok(name.to_owned())
}

/// The URL without a slash at its end, once its scheme is one of these. The text itself stays out of the message: it
/// may hold a password.
fn url_of(name: &str, text: &str, schemes: &[&str]) -> Result<String> {
    let text = text.trim();
    let parsed = Url::parse(text).map_err(|reason| bad(name, format!("is not a URL: {reason}")))?;
    if !schemes.contains(&parsed.scheme()) {
        return Err(bad(name, format!("must start with {}://", schemes.join(":// or "))));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Scheme, host and port of each, as browsers write them.
fn origins(texts: &[String]) -> Result<Vec<String>> {
    let origin = |text: &String| {
        let url = Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let origin = url.filter(|url| url.path() == "/" && url.query().is_none() && url.fragment().is_none());
        let origin = origin.map(|url| url.origin().ascii_serialization());
        origin.ok_or_else(|| bad("CORS_ORIGINS", "takes origins such as https://lab.example, separated by commas"))
    };
    texts.iter().map(origin).collect()
}

/// The modes that every library of ours that talks to the database knows.
fn check_encryption(database_url: &str) -> Result<()> {
    let known = ["disable", "prefer", "require"];
    let mode = database_url.split(['?', '&']).find_map(|part| part.strip_prefix("sslmode="));
    match mode.filter(|mode| !known.contains(mode)) {
        Some(mode) => Err(bad("DATABASE_URL", format!("has sslmode={mode}; it takes disable, prefer or require"))),
        None => Ok(()),
    }
}

fn bad(name: &str, reason: impl fmt::Display) -> Error {
    Error::bad_input(format!("{name} {reason}"))
}
