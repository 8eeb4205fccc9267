//! The demo model: an OpenAI-compatible server inside twinlab, for trying the product and for tests.
//!
//! It is not a language model. A twin's text becomes a point in a small space of traits, a question's words a
//! direction in it, and every answer follows from how far the one lies along the other: so one twin answers alike
//! over similar questions, twins differ, and the same seed gives the same answers.

mod completion;
mod direction;
mod faults;
mod routes;
mod schema;
mod sentences;
mod server_error;
mod twin;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web};

use faults::Faults;

/// What the server says it is, whatever model it is asked for.
pub const MODEL: &str = "twinlab-demo";

/// The longest request that is read, in bytes.
const REQUEST: usize = 8 * 1024 * 1024;

/// How the server behaves. The default answers at once and without faults.
#[derive(Clone, Debug)]
pub struct Options {
    pub host: String,
    /// 0: any free one.
    pub port: u16,
    pub latency: Duration,
    /// Up to this much more, evenly spread.
    pub jitter: Duration,
    /// The share of calls that end with status 500, 0 to 1.
    pub error_rate: f64,
    /// Calls a minute; one more gets a 429 with `Retry-After`. `None`: no limit.
    pub rate_limit_rpm: Option<u32>,
    /// The share of calls whose reply is broken in one of several ways, 0 to 1.
    pub malformed_rate: f64,
    /// Other seeds: other answers, other faults.
    pub seed: u64,
    /// Threads.
    pub workers: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 0,
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            error_rate: 0.0,
            rate_limit_rpm: None,
            malformed_rate: 0.0,
            seed: 0,
            workers: 1,
        }
    }
}

/// Starts the server on threads of its own and returns its address; it runs until the handle stops it or the runtime
/// ends. Must be called on a Tokio runtime. Fails where the address is not free.
pub fn serve(options: Options) -> io::Result<(SocketAddr, ServerHandle)> {
    let address = (options.host.clone(), options.port);
    let workers = options.workers.max(1);
    let faults = web::Data::new(Faults::new(options));
    let server = HttpServer::new(move || {
        App::new().app_data(faults.clone()).app_data(web::PayloadConfig::new(REQUEST)).configure(routes::configure)
    })
    .workers(workers)
    .disable_signals()
    .shutdown_timeout(1)
    .bind(address)?;
    let address = server.addrs().first().copied().ok_or_else(|| io::Error::other("no address was bound"))?;
    let server = server.run();
    let handle = server.handle();
    tokio::spawn(server);
    Ok((address, handle))
}

/// Where clients find a server of that address.
pub fn base_url(address: SocketAddr) -> String {
    format!("http://{address}/v1")
}

#[cfg(test)]
mod tests;
