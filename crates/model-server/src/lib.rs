//! An OpenAI-compatible model server without a model. It answers `response_format` schemas with valid instances and
//! fails on demand.
//!
//! It is the demo model of twinlab, which gives plausible answers, and the stub that tests and benchmarks call, which
//! gives quick ones, records every call and can hold its replies back. It runs on one thread, because it shares the
//! machine with the program that it tests.

mod answers;
mod batches;
pub mod client;
mod connection;
mod faults;
mod hash;
mod http;
mod limits;
mod record;
mod reply;
mod request;
mod schema;
mod state;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::net::TcpSocket;
use tokio::runtime;
use tokio::sync::oneshot;

pub use answers::{Answers, DEMO_MODEL};
pub use batches::BatchRecord;
pub use faults::{BatchFault, BatchFaults, Dialect, Fault, Faults};
pub use limits::Limits;
pub use record::{Call, Counters, Outcome, early_calls};
pub use request::persona_key;
use state::State;

/// A running model server. It stops when dropped.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts on a free port of 127.0.0.1, on a thread and runtime of its own: a test's paused clock or blocked
    /// runtime does not stop it.
    ///
    /// # Panics
    /// When the machine gives no port or no thread.
    pub fn start(faults: Faults) -> Self {
        Self::listen("127.0.0.1", 0, faults).expect("a free port and a thread for the model server")
    }

    /// Starts on this address; port 0 takes a free one.
    pub fn listen(host: &str, port: u16, faults: Faults) -> io::Result<Self> {
        let address = (host, port).to_socket_addrs()?.next().ok_or_else(|| io::Error::other("no such host"))?;
        let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let listener = {
            let _inside = runtime.enter();
            let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            // Thousands may connect at once; a shorter queue makes them try again a second later.
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

    /// What `OPENAI_BASE_URL` wants.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn counters(&self) -> Counters {
        self.state.counters()
    }

    /// Every call so far, in order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.state.calls()
    }

    /// Every call's body in order of arrival, where [`Faults::keep_bodies`] asks for it.
    pub fn bodies(&self) -> Vec<Box<[u8]>> {
        self.state.bodies()
    }

    /// Every batch so far, in order of submission, but for those that were forgotten.
    pub fn batches(&self) -> Vec<BatchRecord> {
        self.state.batches().records()
    }

    /// Files that it keeps.
    pub fn files(&self) -> usize {
        self.state.batches().files()
    }

    /// Forgets all files and batches, as a server does that is started again.
    pub fn forget_batches(&self) {
        self.state.batches().forget();
    }

    /// From the next call on. Limits start full again; the script counts from the server's first call.
    pub fn set_faults(&self, faults: Faults) {
        self.state.set_faults(faults);
    }

    /// Keeps all answers back until [`Self::release`]: calls stay under way for as long as a test likes.
    pub fn hold(&self) {
        self.state.held.send_replace(true);
    }

    pub fn release(&self) {
        self.state.held.send_replace(false);
    }

    /// Ends when so many calls have arrived since the start.
    pub async fn reached(&self, calls: usize) {
        // The sender lives in `state`: waiting cannot fail.
        self.state.arrivals.subscribe().wait_for(|arrivals| *arrivals >= calls).await.ok();
    }

    /// Closes the port and every connection.
    pub fn stop(self) {}
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // Gone when the thread has already ended.
        self.stop.take().map(|stop| stop.send(()).ok());
        self.thread.take().map(|thread| thread.join().ok());
    }
}

#[cfg(test)]
mod tests;
