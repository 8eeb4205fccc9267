//! The model stub as a process of its own: serves until it is killed, and shows its counters at GET /counters.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use twinlab_bench::stub::{Dialect, Fault, Faults, Limit, Stub};

/// An OpenAI-compatible model server that answers by schema and fails on demand.
#[derive(Parser)]
struct Arguments {
    /// Port on 127.0.0.1; 0 takes a free one. The address is the first line of the output.
    #[arg(long, default_value_t = 0)]
    port: u16,
    #[arg(long, default_value_t = 0, value_name = "MS")]
    latency_ms: u64,
    /// Up to so much more latency.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    jitter_ms: u64,
    /// A fault and the share of calls that it strikes, e.g. server-error=0.02; may be given again.
    #[arg(long, value_parser = rate, value_name = "NAME=RATE")]
    fault: Vec<(Fault, f64)>,
    /// Rates strike only the first so many calls of the same persona and questions.
    #[arg(long, default_value_t = u32::MAX, hide_default_value = true, value_name = "N")]
    attempts_struck: u32,
    /// Hard limit of calls a minute, answered by 429 with Retry-After.
    #[arg(long, value_name = "N")]
    rpm: Option<u32>,
    /// How much unused allowance of the limit is kept.
    #[arg(long, default_value_t = 1, value_name = "SECONDS")]
    burst_s: u64,
    /// What injected 429s ask for.
    #[arg(long, default_value_t = 1, value_name = "SECONDS")]
    retry_after_s: u64,
    /// The most that the server understands of response_format.
    #[arg(long, value_enum, default_value_t = Dialect::JsonSchema)]
    dialect: Dialect,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn rate(text: &str) -> Result<(Fault, f64), String> {
    let (name, rate) = text.split_once('=').ok_or("expected NAME=RATE")?;
    let rate: f64 = rate.parse().map_err(|_| format!("`{rate}` is not a number"))?;
    if !(0.0..=1.0).contains(&rate) {
        return Err(format!("{rate} is not between 0 and 1"));
    }
    Ok((name.parse()?, rate))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let faults = Faults {
        seed: arguments.seed,
        latency: Duration::from_millis(arguments.latency_ms),
        jitter: Duration::from_millis(arguments.jitter_ms),
        rates: arguments.fault,
        attempts_struck: arguments.attempts_struck,
        limit: arguments.rpm.map(|rpm| Limit { calls_per_minute: rpm, burst: Duration::from_secs(arguments.burst_s) }),
        retry_after: Duration::from_secs(arguments.retry_after_s),
        dialect: arguments.dialect,
        ..Faults::default()
    };
    let stub = match Stub::listen(arguments.port, faults) {
        Ok(stub) => stub,
        Err(error) => {
            eprintln!("model-stub: port {}: {error}", arguments.port);
            return ExitCode::FAILURE;
        }
    };
    println!("{}", stub.base_url());
    loop {
        thread::park();
    }
}
