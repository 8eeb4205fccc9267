//! A model server without a language model. It speaks OpenAI's chat completions, Anthropic's Messages and Gemini's
//! `generateContent`, each with its batches. It answers schemas with valid instances, caches prompt prefixes by each
//! provider's published rules, and fails on demand.
//!
//! A file of `wire` reads a request into a `Request` and renders a `Completion` or an
//! `ApiError`. Answers, faults, limits, latency, cache, record and batches know no wire.
//!
//! It is the demo model of twinlab, which gives plausible answers, and the stub of tests and benchmarks, which gives
//! quick ones, records every call and can hold its replies back. It runs on one thread, because it shares the machine
//! with the program under test.

mod answers;
mod batches;
mod cache;
pub mod client;
mod completion;
mod connection;
mod error;
mod faults;
mod hash;
mod http;
mod limits;
mod record;
mod reply;
mod request;
mod schema;
mod state;
mod tokens;
mod usage;
mod wire;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::net::TcpSocket;
use tokio::runtime;
use tokio::sync::oneshot;

pub use answers::{Answers, DEMO_MODEL};
pub use batches::BatchRecord;
pub use cache::Caching;
pub use faults::{BatchFault, BatchFaults, Dialect, Fault, Faults, Ignored};
pub use limits::Limits;
pub use record::{Call, Counters, Outcome, early_calls};
pub use request::{Wire, persona_key};
use state::State;
pub use usage::UsageParts;

/// A running model server. It stops when dropped.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts on a free port of 127.0.0.1, on its own thread and runtime, so that a test's paused clock or blocked
    /// runtime does not stop it.
    ///
    /// # Panics
    ///
    /// Panics if the machine has no free port or thread.
    pub fn start(faults: Faults) -> Self {
        Self::listen("127.0.0.1", 0, faults).expect("a free port and a thread for the model server")
    }

    /// Starts on this address. Port 0 takes a free one.
    pub fn listen(host: &str, port: u16, faults: Faults) -> io::Result<Self> {
        let address = (host, port).to_socket_addrs()?.next().ok_or_else(|| io::Error::other("no such host"))?;
        let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let listener = {
            let _inside = runtime.enter();
            let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            // Thousands may connect at once; with a shorter queue they would retry a second later.
            socket.listen(4096)?
        };
        let address = listener.local_addr()?;
        let state = Arc::new(State::new(faults));
        let (stop, stopped) = oneshot::channel();
        let serve = {
            let state = state.clone();
            move || runtime.block_on(connection::serve(listener, state, stopped))
        };
        let thread = thread::Builder::new().name("model-server".into()).spawn(serve)?;
        Ok(Self { address, state, stop: Some(stop), thread: Some(thread) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The value for `OPENAI_BASE_URL`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The base URL that the packages of Anthropic and Google take.
    pub fn root_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn counters(&self) -> Counters {
        self.state.counters()
    }

    /// Every call so far, in order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.state.calls()
    }

    /// Every call's body in order of arrival, if [`Faults::keep_bodies`] is set.
    pub fn bodies(&self) -> Vec<Box<[u8]>> {
        self.state.bodies()
    }

    /// Every batch that is kept, in order of submission.
    pub fn batches(&self) -> Vec<BatchRecord> {
        self.state.batches().records()
    }

    /// Number of files that are kept.
    pub fn files(&self) -> usize {
        self.state.batches().files()
    }

    /// Drops all files and batches, as a restart does.
    pub fn forget_batches(&self) {
        self.state.batches().forget();
    }

    /// Changes the behaviour from the next call on. Limits start full again; the script still counts from the server's
    /// first call.
    pub fn set_faults(&self, faults: Faults) {
        self.state.set_faults(faults);
    }

    /// Holds all answers back until [`Self::release`], so that calls stay under way.
    pub fn hold(&self) {
        self.state.held.send_replace(true);
    }

    pub fn release(&self) {
        self.state.held.send_replace(false);
    }

    /// Waits until this number of calls has arrived since the start.
    pub async fn reached(&self, calls: usize) {
        // The sender lives in `state`, so waiting cannot fail.
        self.state.arrivals.subscribe().wait_for(|arrivals| *arrivals >= calls).await.ok();
    }

    /// Closes the port and every connection.
    pub fn stop(self) {}
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // The receiver is gone if the thread has already ended.
        self.stop.take().map(|stop| stop.send(()).ok());
        self.thread.take().map(|thread| thread.join().ok());
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod wire_tests;
