//! Logging to standard error. Standard output is for the program's results.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};
use crate::error::{Error, Result};

/// Starts logging for the process. An invalid filter is bad input.
pub fn start(config: &Config) -> Result<()> {
    // async-openai logs the whole body of a reply that it cannot read, with what personas answered.
    let filter = EnvFilter::builder()
        .parse(format!("{},async_openai=off", config.log_filter))
        .map_err(|reason| Error::bad_input(format!("RUST_LOG is not a log filter: {reason}")))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match config.log_format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().try_init(),
    }
    .map_err(|reason| Error::internal(format!("logging did not start: {reason}")))
}
