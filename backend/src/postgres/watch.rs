//! Watches over the private server: one that dies is started again.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use super::{POLL_INTERVAL, Server};
use crate::error::{Error, Result};

/// Between two looks at a server that runs.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// Between two tries to start it: the first and the longest.
const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// Why the server cannot be started. A process has at most one.
static TROUBLE: Mutex<Option<String>> = Mutex::new(None);

/// Why the private PostgreSQL of this process is away. `None`: it runs, or there is none.
pub fn trouble() -> Option<String> {
    TROUBLE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn set_trouble(reason: Option<String>) {
    *TROUBLE.lock().unwrap_or_else(PoisonError::into_inner) = reason;
}

/// A thread that owns the server.
pub struct Watch {
    /// The thread stops the server when this is dropped.
    alive: SyncSender<()>,
    thread: JoinHandle<Result<()>>,
}

impl Watch {
    pub fn over(server: Server) -> Result<Self> {
        let (alive, dropped) = sync_channel(0);
        let thread = thread::Builder::new().name("postgres".to_owned()).spawn(move || watch(server, &dropped));
        let thread = thread.map_err(|reason| Error::internal(format!("no thread for PostgreSQL: {reason}")))?;
        Ok(Self { alive, thread })
    }

    /// Stops the server and waits until it has ended.
    pub fn end(self) -> Result<()> {
        drop(self.alive);
        self.thread.join().unwrap_or_else(|_| Err(Error::internal("the thread that watches PostgreSQL died")))
    }
}

fn watch(mut server: Server, dropped: &Receiver<()>) -> Result<()> {
    let (mut wait, mut delay) = (LOOK_INTERVAL, FIRST_DELAY);
    while dropped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        if runs(&server) {
            (wait, delay) = (LOOK_INTERVAL, FIRST_DELAY);
            continue;
        }
        if trouble().is_none() {
            tracing::error!("the private PostgreSQL died: starting it again");
            set_trouble(Some("PostgreSQL died and is being started again".to_owned()));
        }
        match server.bring_up() {
            Ok(()) => {
                tracing::info!("the private PostgreSQL runs again");
                set_trouble(None);
                wait = LOOK_INTERVAL;
            }
            Err(reason) => {
                tracing::error!(%reason, "the private PostgreSQL cannot be started, trying again in {delay:?}");
                set_trouble(Some(reason.to_string()));
                wait = delay;
                delay = LONGEST_DELAY.min(delay * 2);
            }
        }
    }
    set_trouble(None);
    server.stop()
}

/// Looks twice: the server may be writing its lock file.
fn runs(server: &Server) -> bool {
    server.runs() || {
        sleep(POLL_INTERVAL);
        server.runs()
    }
}
