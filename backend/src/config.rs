//! The only reader of the environment: every variable is a flag too, and a bad value stops the start with one line.

use std::path::PathBuf;
use std::time::Duration;

/// Where answers come from and how hard it may be asked.
#[derive(Clone, Debug)]
pub struct ModelConfig {
    /// Base address of an OpenAI-compatible server, e.g. `https://api.openai.com/v1`. `None`: the built-in demo model.
    pub base_url: Option<String>,
    pub api_key: Option<String>,
    pub model: String,
    /// Requests a minute over all workers. `None`: no limit.
    pub rpm: Option<u32>,
    /// Tokens a minute over all workers. `None`: no limit.
    pub tpm: Option<u32>,
    /// Calls under way at once over all workers.
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

#[derive(Clone, Debug)]
pub struct Config {
    /// `None`: a private PostgreSQL in `data_dir`.
    pub database_url: Option<String>,
    pub data_dir: PathBuf,
    pub host: String,
    pub port: u16,
    pub model: ModelConfig,
    pub max_running_simulations: usize,
}
