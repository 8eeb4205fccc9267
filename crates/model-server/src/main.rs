//! The model server as a process: it serves until it is killed, and shows its counters at GET /counters.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use model_server::{Answers, Caching, Dialect, Fault, Faults, Ignored, Limits, ModelServer};

/// A model server without a model: speaks the wires of OpenAI, Anthropic and Gemini, answers by schema and fails on
/// demand.
#[derive(Parser)]
struct Arguments {
    /// Port on 127.0.0.1; 0 takes a free one. The address is the first line of the output.
    #[arg(long, default_value_t = 0)]
    port: u16,
    #[arg(long, default_value_t = 0, value_name = "MS")]
    latency_ms: u64,
    /// Time between two events of a stream.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    piece_ms: u64,
    /// Maximum random addition to the latency.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    jitter_ms: u64,
    /// A fault and the share of calls that it strikes, e.g. server-error=0.02; can be repeated.
    #[arg(long, value_parser = rate, value_name = "NAME=RATE")]
    fault: Vec<(Fault, f64)>,
    /// Rates strike only this number of calls with the same persona and questions, the first ones.
    #[arg(long, default_value_t = u32::MAX, hide_default_value = true, value_name = "N")]
    attempts_struck: u32,
    /// Hard limit of calls a minute; one more gets a 429 with Retry-After.
    #[arg(long, value_name = "N")]
    rpm: Option<u32>,
    /// Hard limit of tokens a minute.
    #[arg(long, value_name = "N")]
    tpm: Option<u32>,
    /// Unused allowance of the limits that is kept, in seconds.
    #[arg(long, default_value_t = 1, value_name = "SECONDS")]
    burst_s: u64,
    /// Report the limits in headers, as OpenAI and Anthropic do.
    #[arg(long)]
    limit_headers: bool,
    /// Retry-After of injected 429s, in seconds.
    #[arg(long, default_value_t = 1, value_name = "SECONDS")]
    retry_after_s: u64,
    /// The most advanced format of replies that the server understands.
    #[arg(long, value_enum, default_value_t = Dialect::JsonSchema)]
    dialect: Dialect,
    /// The prompt prefixes that are cached.
    #[arg(long, value_enum, default_value_t = Caching::Off)]
    caching: Caching,
    /// The only API key that is taken; by default any is, or none.
    #[arg(long)]
    key: Option<String>,
    /// Let answers vary by seed and temperature, as a model's do.
    #[arg(long)]
    varies: bool,
    /// A parameter that such answers do not follow; can be repeated.
    #[arg(long, value_enum, value_name = "NAME")]
    ignores: Vec<Ignored>,
    /// Give plausible answers, as the demo model does.
    #[arg(long)]
    demo: bool,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn rate(text: &str) -> Result<(Fault, f64), String> {
    let (name, rate) = text.split_once('=').ok_or("expected NAME=RATE")?;
    let rate: f64 = rate.parse().map_err(|_| format!("`{rate}` is not a number"))?;
    if !(0.0..=1.0).contains(&rate) {
        return Err(format!("{rate} is not between 0 and 1"));
    }
    Ok((Fault::from_str(name, false)?, rate))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let faults = Faults {
        answers: if arguments.demo { Answers::Demo } else { Answers::Quick },
        seed: arguments.seed,
        latency: Duration::from_millis(arguments.latency_ms),
        piece_interval: Duration::from_millis(arguments.piece_ms),
        jitter: Duration::from_millis(arguments.jitter_ms),
        rates: arguments.fault,
        attempts_struck: arguments.attempts_struck,
        limits: Limits {
            requests: arguments.rpm,
            tokens: arguments.tpm,
            burst: Duration::from_secs(arguments.burst_s),
            headers: arguments.limit_headers,
        },
        retry_after: Duration::from_secs(arguments.retry_after_s),
        varies: arguments.varies,
        ignores: arguments.ignores,
        dialect: arguments.dialect,
        caching: arguments.caching,
        key: arguments.key,
        ..Faults::default()
    };
    let server = match ModelServer::listen("127.0.0.1", arguments.port, faults) {
        Ok(server) => server,
        Err(error) => {
            eprintln!("model-server: port {}: {error}", arguments.port);
            return ExitCode::FAILURE;
        }
    };
    println!("{}", server.base_url());
    loop {
        thread::park();
    }
}
