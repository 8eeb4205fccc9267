//! The configuration, the only reader of the environment. Every variable is also a flag; a bad value stops the start
//! with one line that names it.

mod data_dir;
mod model;
mod network;
mod options;
pub mod prices;
mod secret;
mod servers;
mod wires;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use evidence::diagnostics::Thresholds;
use reqwest::Url;
use simulation::parameters::DEFAULT_SERVER;
use simulation::wire::Wire;

use crate::db::{self, DatabaseUrl};
use crate::email::Email;
use crate::error::{Error, Result};

use model::checked_url;
use prices::PriceFile;
use servers::FileDefaults;

pub use data_dir::create_data_dir;
pub use model::{ModelConfig, model_name};
pub use network::Network;
pub use options::{LogFormat, Options};
pub use prices::Prices;
pub use secret::Secret;
pub use servers::ModelServers;

const MIN_METRICS_TOKEN_BYTES: usize = 16;

#[derive(Clone)]
pub struct Config {
    /// `None`: a private PostgreSQL in `data_dir`.
    pub database_url: Option<String>,
    pub data_dir: PathBuf,
    /// `None`: this machine is searched for the programs.
    pub pg_bin_dir: Option<PathBuf>,
    pub host: String,
    pub port: u16,
    /// Port of a worker's probes and metrics. `None`: it opens none.
    pub health_port: Option<u16>,
    /// Time during which an ending process answers 503 on `/ready` before it closes its port.
    pub drain: Duration,
    /// URL of the pages without a slash at its end. `None`: the address that the server listens on.
    pub public_url: Option<String>,
    /// Origins whose pages may call the API, for example `https://lab.example`. Empty: only the product's own pages.
    pub cors_origins: Vec<String>,
    /// `None`: a secret generated once in `data_dir`. Read it by [`Config::session_secret`].
    pub jwt_secret: Option<Secret>,
    pub super_admin_email: Option<Email>,
    /// `None`: mails become files in `data_dir`.
    pub smtp_url: Option<Secret>,
    /// Always set if `smtp_url` is.
    pub mail_from: Option<String>,
    pub contact_email: Email,
    pub models: ModelServers,
    /// Thresholds at which diagnostics warn.
    pub thresholds: Thresholds,
    /// Ceiling in whole credits that an owner without one may grant over all their groups.
    pub credit_ceiling: i64,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// Token that `/metrics` requires. `None`: this machine may read it.
    pub metrics_token: Option<Secret>,
    /// Time that a worker keeps an interview without renewing its lease.
    pub interview_lease: Duration,
    pub log_filter: String,
    pub log_format: LogFormat,
}

/// Omits the secrets and the URLs that hold passwords.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("data_dir", &self.data_dir)
            .field("host", &self.host)
            .field("port", &self.port)
            .field("public_url", &self.public_url)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}

impl TryFrom<Options> for Config {
    type Error = Error;

    /// Checks all options. Fails with bad input that names the first unusable variable.
    fn try_from(options: Options) -> Result<Self> {
        let models = model_servers(&options)?;
        if let Some(url) = &options.database_url {
            url_of("DATABASE_URL", &db::with_one_host(url), &["postgres", "postgresql"])?;
            DatabaseUrl::parse(url)?;
        }
        if let Some(secret) = options.jwt_secret.as_ref().filter(|secret| secret.len() < secret::MIN_SECRET_BYTES) {
            let length = secret.len();
            return Err(bad(
                "JWT_SECRET",
                format!("is {length} bytes long; it takes {} or more", secret::MIN_SECRET_BYTES),
            ));
        }
        if options.metrics_token.as_ref().is_some_and(|token| token.trim().len() < MIN_METRICS_TOKEN_BYTES) {
            return Err(bad("METRICS_TOKEN", format!("takes {MIN_METRICS_TOKEN_BYTES} bytes or more")));
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
            health_port: options.health_port,
            drain: Duration::from_secs(options.drain_s.into()),
            jwt_secret: options.jwt_secret.map(Secret::new),
            super_admin_email: match &options.super_admin_email {
                Some(text) => Some(email("SUPER_ADMIN_EMAIL", text)?),
                None => None,
            },
            smtp_url: options.smtp_url.map(Secret::new),
            mail_from: options.mail_from,
            contact_email: email("CONTACT_EMAIL", &options.contact_email)?,
            models,
            thresholds: thresholds(options.diagnostic_thresholds.as_deref())?,
            credit_ceiling: options.credit_ceiling,
            trusted_proxies: networks(&options.trusted_proxies)?,
            metrics_token: options.metrics_token.map(Secret::new),
            interview_lease: Duration::from_secs(options.interview_lease_s.into()),
            log_filter: options.rust_log,
            log_format: options.log_format,
        })
    }
}

/// The servers of the file, or the one of the short form.
fn model_servers(options: &Options) -> Result<ModelServers> {
    let Some(path) = &options.model_servers else { return Ok(ModelServers::one(short_form(options)?)) };
    let of_short_form = [
        ("OPENAI_BASE_URL", options.openai_base_url.is_some()),
        ("LLM_WIRE", options.llm_wire != Wire::default()),
        ("LLM_MODELS", !options.llm_models.is_empty()),
        ("LLM_RPM", options.llm_rpm.is_some()),
        ("LLM_TPM", options.llm_tpm.is_some()),
        ("LLM_MAX_CONCURRENCY", options.llm_max_concurrency.is_some()),
    ];
    if let Some((name, _)) = of_short_form.into_iter().find(|(_, given)| *given) {
        return Err(bad(name, "is of the short form for one model server, and MODELS is set: state it in that file"));
    }
    let defaults = FileDefaults {
        questions_per_call: options.llm_questions_per_call,
        timeout: Duration::from_secs(options.llm_timeout_s.into()),
        idle_timeout: options.llm_idle_timeout_s.map(|seconds| Duration::from_secs(seconds.into())),
        stream: options.llm_stream,
        max_attempts: options.llm_max_attempts,
        prices: own_prices(options)?,
    };
    let mut servers = ModelServers::read(path, &defaults).map_err(|reason| bad("MODELS", reason))?;
    if let Some(name) = &options.llm_model {
        let name = model_name(name).map_err(|_| bad("LLM_MODEL", "is not the name of a model"))?;
        let (server, model) =
            servers.resolve(&name).map_err(|reason| bad("LLM_MODEL", format!("{name:?} {reason}")))?;
        let server = server.name.clone();
        servers.set_main(&server, &model);
    }
    Ok(servers)
}

fn own_prices(options: &Options) -> Result<Option<PriceFile>> {
    let prices = options.llm_prices.as_deref().map(Prices::read).transpose();
    prices.map_err(|reason| bad("LLM_PRICES", reason))
}

fn short_form(options: &Options) -> Result<ModelConfig> {
    let wire = options.llm_wire;
    let api_key = options.openai_api_key.as_ref().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    if api_key.as_ref().is_some_and(|key| !key.chars().all(|c| c.is_ascii_graphic())) {
        // The key becomes an HTTP header, in which a line break would make every call fail.
        return Err(bad("OPENAI_API_KEY", "holds a blank, a line break or another character that no key has"));
    }
    let base_url = match &options.openai_base_url {
        Some(url) => Some(url_of("OPENAI_BASE_URL", url, &["http", "https"])?),
        None => api_key.is_some().then(|| wires::address(wire).to_owned()),
    };
    let own_prices = own_prices(options)?;
    let demo = base_url.is_none();
    let mut config = ModelConfig {
        name: DEFAULT_SERVER.to_owned(),
        wire,
        model: match &options.llm_model {
            Some(name) => model_name(name).map_err(|_| bad("LLM_MODEL", "is not the name of a model"))?,
            None if demo => "twinlab-demo".to_owned(),
            None => wires::model(wire).to_owned(),
        },
        models: Vec::new(),
        known: Default::default(),
        reasoning: Vec::new(),
        contexts: BTreeMap::new(),
        prices: Prices::new(own_prices.as_ref(), base_url.as_deref()),
        base_url,
        key_source: None,
        api_key,
        rpm: options.llm_rpm,
        tpm: options.llm_tpm,
        max_concurrency: options.llm_max_concurrency.unwrap_or(if demo { u32::MAX } else { 256 }),
        questions_per_call: options.llm_questions_per_call,
        timeout: Duration::from_secs(options.llm_timeout_s.into()),
        idle_timeout: Duration::from_secs(options.llm_idle_timeout_s.unwrap_or(options.llm_timeout_s).into()),
        stream: options.llm_stream,
        max_attempts: options.llm_max_attempts,
    };
    let named = options.llm_models.iter().map(|name| model_name(name).map_err(|reason| bad("LLM_MODELS", reason)));
    config.models.push(config.model.clone());
    for name in named {
        let name = name?;
        if !config.models.contains(&name) {
            config.models.push(name);
        }
    }
    Ok(config)
}

fn thresholds(json: Option<&str>) -> Result<Thresholds> {
    let Some(json) = json else { return Ok(Thresholds::default()) };
    serde_json::from_str(json).map_err(|error| bad("DIAGNOSTIC_THRESHOLDS", format!("cannot be read: {error}")))
}

fn networks(texts: &[String]) -> Result<Vec<Network>> {
    texts.iter().map(|text| text.parse().map_err(|reason: String| bad("TRUSTED_PROXIES", reason))).collect()
}

/// Returns the URL without a slash at its end. Fails if it is invalid or has another scheme. Messages do not contain
/// it, because it may hold a password.
fn url_of(name: &str, text: &str, schemes: &[&str]) -> Result<String> {
    checked_url(text, schemes).map_err(|reason| bad(name, reason))
}

/// Returns the origins (scheme, host and port) in the spelling of browsers.
fn origins(texts: &[String]) -> Result<Vec<String>> {
    let origin = |text: &String| {
        let url = Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let origin = url.filter(|url| url.path() == "/" && url.query().is_none() && url.fragment().is_none());
        let origin = origin.map(|url| url.origin().ascii_serialization());
        origin.ok_or_else(|| bad("CORS_ORIGINS", "takes origins such as https://lab.example, separated by commas"))
    };
    texts.iter().map(origin).collect()
}

fn bad(name: &str, reason: impl fmt::Display) -> Error {
    Error::bad_input(format!("{name} {reason}"))
}
