//! Watches the private server and restarts it if it dies.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use super::{POLL_INTERVAL, Server};
use crate::error::{Error, Result};

/// Interval at which a running server is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Delay between two attempts to start it: the first and the longest.
const FIRST_DELAY: Duration = Duration::from_millis(500);
const MAX_DELAY: Duration = Duration::from_secs(10);

/// The reason why the server cannot be started. A process has at most one.
static TROUBLE: Mutex<Option<String>> = Mutex::new(None);

/// Returns the reason why the private PostgreSQL of this process is away. `None`: it runs, or there is none.
pub fn trouble() -> Option<String> {
    TROUBLE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn set_trouble(reason: Option<String>) {
    *TROUBLE.lock().unwrap_or_else(PoisonError::into_inner) = reason;
}

/// A thread that owns the server.
pub struct Watch {
    /// Makes the thread stop the server; the value is its patience with guests.
    stop: SyncSender<Duration>,
    thread: JoinHandle<Result<()>>,
}

impl Watch {
    pub fn over(server: Server) -> Result<Self> {
        let (stop, stopped) = sync_channel(1);
        let thread = thread::Builder::new().name("postgres".to_owned()).spawn(move || watch(server, &stopped));
        let thread = thread.map_err(|reason| Error::internal(format!("no thread for PostgreSQL: {reason}")))?;
        Ok(Self { stop, thread })
    }

    /// Waits for the guests up to `patience`, stops the server and waits until it has ended.
    pub fn end(self, patience: Duration) -> Result<()> {
        // An error means that the thread is gone; joining it returns the reason.
        let _ = self.stop.send(patience);
        self.thread.join().unwrap_or_else(|_| Err(Error::internal("the thread that watches PostgreSQL died")))
    }
}

fn watch(mut server: Server, stopped: &Receiver<Duration>) -> Result<()> {
    let (mut wait, mut delay, mut known) = (CHECK_INTERVAL, FIRST_DELAY, true);
    let patience = loop {
        match stopped.recv_timeout(wait) {
            Ok(patience) => break patience,
            Err(RecvTimeoutError::Disconnected) => break Duration::ZERO,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let found = runs(&server);
        if found.is_ok() != std::mem::replace(&mut known, found.is_ok()) {
            match &found {
                Ok(_) => tracing::info!("the state of the private PostgreSQL is known again"),
                Err(reason) => tracing::warn!(%reason, "leaving the private PostgreSQL alone"),
            }
        }
        match found {
            Ok(true) => {
                set_trouble(None);
                (wait, delay) = (CHECK_INTERVAL, FIRST_DELAY);
                continue;
            }
            Ok(false) => {}
            // An unknown state does not show that it died.
            Err(_) => {
                wait = FIRST_DELAY;
                continue;
            }
        }
        if trouble().is_none() {
            tracing::error!("the private PostgreSQL died: starting it again");
            set_trouble(Some("PostgreSQL died and is being started again".to_owned()));
        }
        match server.ensure_running() {
            Ok(()) => {
                tracing::info!("the private PostgreSQL runs again");
                set_trouble(None);
                wait = CHECK_INTERVAL;
            }
            Err(reason) => {
                let reason = reason.to_string();
                if trouble().as_ref() != Some(&reason) {
                    tracing::error!(reason, "the private PostgreSQL cannot be started, trying again");
                }
                set_trouble(Some(reason));
                wait = delay;
                delay = MAX_DELAY.min(delay * 2);
            }
        }
    };
    set_trouble(None);
    server.stop(patience)
}

/// Checks twice, because the server may be writing its lock file.
fn runs(server: &Server) -> Result<bool> {
    if server.runs()? {
        return Ok(true);
    }
    sleep(POLL_INTERVAL);
    server.runs()
}
