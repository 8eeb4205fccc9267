//! `twinlab demo-model`: the built-in model on its own, with faults on demand.

use std::process::ExitCode;
use std::time::Duration;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::llm::demo;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How long every answer takes, in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MS")]
    latency_ms: u64,
    /// Up to this much longer, evenly spread, in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MS")]
    jitter_ms: u64,
    /// Share of calls that end with status 500, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    error_rate: f64,
    /// Calls a minute; one more gets a 429 with Retry-After [default: no limit]
    #[arg(long, value_name = "RPM", value_parser = clap::value_parser!(u32).range(1..))]
    rate_limit_rpm: Option<u32>,
    /// Share of calls whose reply is broken, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    malformed_rate: f64,
    /// Other seeds give other answers and other faults
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("must be a number from 0 to 1".into()),
    }
}

/// Serves until it is dropped.
pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let options = demo::Options {
        host: config.host.clone(),
        port: config.port,
        latency: Duration::from_millis(args.latency_ms),
        jitter: Duration::from_millis(args.jitter_ms),
        error_rate: args.error_rate,
        rate_limit_rpm: args.rate_limit_rpm,
        malformed_rate: args.malformed_rate,
        seed: args.seed,
        workers: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let (address, _server) = demo::serve(options).map_err(|reason| {
        Error::internal(format!("the demo model cannot listen on {}:{}: {reason}", config.host, config.port))
    })?;
    println!("Demo model (not a language model) at {}, Ctrl-C stops it.", demo::base_url(address));
    std::future::pending().await
}
