//! `twinlab demo-model`: the built-in model on its own, with faults on demand.

use std::process::ExitCode;
use std::time::Duration;

use model_server::{Caching, Fault, Faults, Limits, ModelServer};

use crate::config::Config;
use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Latency of every answer in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MS")]
    latency_ms: u64,
    /// Upper limit of a further, evenly distributed latency in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MS")]
    jitter_ms: u64,
    /// Share of calls that fail with status 500, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    error_rate: f64,
    /// Calls a minute; further ones get a 429 with Retry-After [default: no limit]
    #[arg(long, value_name = "RPM", value_parser = clap::value_parser!(u32).range(1..))]
    rate_limit_rpm: Option<u32>,
    /// Share of calls whose reply is broken, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    malformed_rate: f64,
    /// The prompt prefixes that are cached: none, by the rules of the provider whose API is called, or by those of local
    /// servers
    #[arg(long, value_enum, default_value_t = Caching::Off)]
    caching: Caching,
    /// The only API key that is taken [default: any, or none]
    #[arg(long)]
    key: Option<String>,
    /// Seed of answers and faults
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("must be a number from 0 to 1".into()),
    }
}

/// The kinds of broken replies, all equally frequent.
const MALFORMED: [Fault; 6] = [
    Fault::Html,
    Fault::EmptyChoices,
    Fault::InvalidContent,
    Fault::Truncated,
    Fault::MissingAnswer,
    Fault::OutOfRange,
];

impl Args {
    fn faults(&self) -> Faults {
        let malformed = (1.0 - self.error_rate) * self.malformed_rate / MALFORMED.len() as f64;
        let mut rates = vec![(Fault::ServerError, self.error_rate)];
        rates.extend(MALFORMED.map(|fault| (fault, malformed)));
        Faults {
            seed: self.seed,
            latency: Duration::from_millis(self.latency_ms),
            jitter: Duration::from_millis(self.jitter_ms),
            rates,
            limits: Limits {
                requests: self.rate_limit_rpm,
                burst: Duration::from_secs(1),
                headers: self.rate_limit_rpm.is_some(),
                ..Limits::default()
            },
            caching: self.caching,
            key: self.key.clone(),
            ..Faults::demo()
        }
    }
}

/// Serves until it is dropped.
pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let model = ModelServer::listen(&config.host, config.port, args.faults()).map_err(|reason| {
        Error::internal(format!("the demo model cannot listen on {}:{}: {reason}", config.host, config.port))
    })?;
    say!("Demo model (not a language model) at {}, Ctrl-C stops it.", model.base_url());
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_struck_where_the_rates_say_so() {
        let args = |error_rate, malformed_rate| Args {
            latency_ms: 0,
            jitter_ms: 0,
            error_rate,
            rate_limit_rpm: None,
            malformed_rate,
            caching: Caching::Off,
            key: None,
            seed: 0,
        };
        let struck = |args: Args| args.faults().rates.iter().map(|(_, rate)| rate).sum::<f64>();
        for (error_rate, malformed_rate, expected) in [(0.0, 0.0, 0.0), (0.5, 0.5, 0.75), (0.2, 1.0, 1.0)] {
            assert!((struck(args(error_rate, malformed_rate)) - expected).abs() < 1e-9);
        }
    }
}
