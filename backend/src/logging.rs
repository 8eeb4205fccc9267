//! Logging to standard error. Standard output is for the program's results.

use std::io::{self, IsTerminal};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

use crate::config::{Config, LogFormat};
use crate::error::{Error, Result};

/// Starts logging for the process. Fails with bad input if the filter is invalid.
pub fn start(config: &Config) -> Result<()> {
    // async-openai logs the whole body of a reply that it cannot read, including the persona's answers.
    let filter: Targets = format!("{},async_openai=off", config.log_filter)
        .parse()
        .map_err(|reason| Error::bad_input(format!("RUST_LOG is not a log filter: {reason}")))?;
    let lines = fmt::layer().with_writer(io::stderr);
    match config.log_format {
        LogFormat::Text => registry().with(filter).with(lines.with_ansi(io::stderr().is_terminal())).try_init(),
        LogFormat::Json => registry().with(filter).with(lines.json()).try_init(),
    }
    .map_err(|reason| Error::internal(format!("logging did not start: {reason}")))
}
