//! The options of the command line. Each is also an environment variable, in capitals.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum, value_parser};
use simulation::wire::Wire;

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// JSON for machines, one object a line.
    Json,
}

/// Values of flags and variables, each checked on its own. [`super::Config`] checks them together.
#[derive(Args, Debug)]
#[command(next_help_heading = "Configuration")]
pub struct Options {
    /// PostgreSQL 15 or newer; sslmode and sslrootcert as in libpq [default: a private PostgreSQL in DATA_DIR]
    #[arg(long, env, global = true, value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Private PostgreSQL, generated secrets, mails
    #[arg(long, env, global = true, value_name = "DIR", default_value = ".twinlab")]
    pub data_dir: PathBuf,
    /// Programs of that private PostgreSQL [default: PATH, /usr/lib/postgresql/*/bin, or npm's that scripts/setup
    /// installed]
    #[arg(long, env, global = true, value_name = "DIR")]
    pub pg_bin_dir: Option<PathBuf>,
    /// Address to listen on
    #[arg(long, env, global = true, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: String,
    /// Port to listen on; 0 takes a free one
    #[arg(long, env, global = true, default_value_t = 8080)]
    pub port: u16,
    /// Port of `serve --role worker` for /health, /ready and /metrics; 0 takes a free one [default: a worker opens no port]
    #[arg(long, env, global = true, value_name = "PORT")]
    pub health_port: Option<u16>,
    /// Seconds that /ready answers 503 after SIGTERM while everything is served, so that load balancers notice; Ctrl-C
    /// does not wait
    #[arg(long, env, global = true, value_name = "SECONDS", default_value_t = 5)]
    pub drain_s: u16,
    /// Address of the pages, for links in mails [default: http://HOST:PORT]
    #[arg(long, env, global = true, value_name = "URL")]
    pub public_url: Option<String>,
    /// Origins whose pages may call the API too, separated by commas [default: none]
    #[arg(long, env, global = true, value_name = "ORIGINS", value_delimiter = ',')]
    pub cors_origins: Vec<String>,
    /// Secret that signs the sessions, at least 32 bytes [default: generated once in DATA_DIR]
    #[arg(long, env, global = true, value_name = "SECRET", hide_env_values = true)]
    pub jwt_secret: Option<String>,
    /// E-mail of the super administrator, who is created or promoted at start
    #[arg(long, env, global = true, value_name = "EMAIL")]
    pub super_admin_email: Option<String>,
    /// Mail server, smtp:// or smtps:// [default: mails become files in DATA_DIR/mail]
    #[arg(long, env, global = true, value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<String>,
    /// Sender of mails; needed with SMTP_URL
    #[arg(long, env, global = true, value_name = "ADDRESS")]
    pub mail_from: Option<String>,
    /// Address of the pages' mailto links
    #[arg(long, env, global = true, value_name = "EMAIL", default_value = "contact@example.org")]
    pub contact_email: String,
    /// TOML file of model servers; see docs/operations.md [default: one server, by the options below]
    // The flag has another name, because `simulate --models` lists those of a study.
    #[arg(long, env = "MODELS", global = true, value_name = "FILE")]
    pub model_servers: Option<PathBuf>,
    /// API that the model server speaks
    #[arg(long, env, global = true, value_name = "NAME", value_enum, default_value_t)]
    pub llm_wire: Wire,
    /// Address of the model server [default: with a key the provider's whose API it speaks, else the built-in demo model]
    #[arg(long, env, global = true, value_name = "URL")]
    pub openai_base_url: Option<String>,
    /// Key for that server
    #[arg(long, env, global = true, value_name = "KEY", hide_env_values = true)]
    pub openai_api_key: Option<String>,
    /// Model to ask [default: gpt-4.1-mini, or twinlab-demo for the demo model]
    #[arg(long, env, global = true, value_name = "NAME")]
    pub llm_model: Option<String>,
    /// Further models that simulations may name, separated by commas; super admins may name any [default: none]
    #[arg(long, env, global = true, value_name = "NAMES", value_delimiter = ',')]
    pub llm_models: Vec<String>,
    /// JSON file with the prices of models' tokens; see docs/operations.md [default: the list of `twinlab prices` for the
    /// providers' own servers, none for others]
    #[arg(long, env, global = true, value_name = "FILE")]
    pub llm_prices: Option<PathBuf>,
    /// Thresholds at which diagnostics of ended simulations warn, as JSON: {"modal_share": 0.7}; see docs/evidence.md
    /// [default: those of docs/evidence.md]
    #[arg(long, env, global = true, value_name = "JSON")]
    pub diagnostic_thresholds: Option<String>,
    /// Requests a minute over all workers [default: what the server reports, 500 until it does]
    #[arg(long, env, global = true, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub llm_rpm: Option<u32>,
    /// Tokens a minute over all workers [default: what the server reports, 200000 until it does]
    #[arg(long, env, global = true, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub llm_tpm: Option<u32>,
    /// Calls at once over all workers [default: 256, or no limit for the demo model]
    #[arg(long, env, global = true, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub llm_max_concurrency: Option<u32>,
    /// Questions in one call; 1 asks every question alone
    #[arg(long, env, global = true, value_name = "N", default_value_t = 20, value_parser = value_parser!(u16).range(1..))]
    pub llm_questions_per_call: u16,
    /// Seconds until a call is abandoned: to the first piece of a streamed reply, or to the end of another
    #[arg(long, env, global = true, value_name = "SECONDS", default_value_t = 120, value_parser = value_parser!(u32).range(1..))]
    pub llm_timeout_s: u32,
    /// Seconds until a call is abandoned in the middle of a streamed reply: between two pieces [default: LLM_TIMEOUT_S]
    #[arg(long, env, global = true, value_name = "SECONDS", value_parser = value_parser!(u32).range(1..))]
    pub llm_idle_timeout_s: Option<u32>,
    /// Whether the calls of new simulations stream, except in batches and of the demo model
    #[arg(long, env, global = true, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub llm_stream: bool,
    /// Attempts until a request has failed
    #[arg(long, env, global = true, value_name = "N", default_value_t = 6, value_parser = value_parser!(u16).range(1..))]
    pub llm_max_attempts: u16,
    /// Seconds that a worker keeps an interview without renewing it; tests use fewer
    #[arg(long, env, global = true, hide = true, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u16).range(1..))]
    pub interview_lease_s: u16,
    /// Credits that an owner may grant over all their groups; super admins set exceptions
    #[arg(long, env, global = true, value_name = "CREDITS", default_value_t = 10_000_000, value_parser = value_parser!(i64).range(0..=1_000_000_000_000))]
    pub credit_ceiling: i64,
    /// Addresses or networks of proxies whose X-Forwarded-For is trusted, separated by commas [default: none]
    #[arg(long, env, global = true, value_name = "NETWORKS", value_delimiter = ',')]
    pub trusted_proxies: Vec<String>,
    /// Bearer token that /metrics requires [default: only this machine may read it]
    #[arg(long, env, global = true, value_name = "TOKEN", hide_env_values = true)]
    pub metrics_token: Option<String>,
    /// Filter of log lines, for example info or twinlab=debug
    #[arg(long, env, global = true, value_name = "FILTER", default_value = "info")]
    pub rust_log: String,
    #[arg(long, env, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}
