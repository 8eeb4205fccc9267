//! Ctrl-C and SIGTERM.

use std::process::ExitCode;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::{Error, Result};

/// The exit code that shells give a program ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// The signals that ask the program to end. While this listens, they do not end the process by themselves.
pub struct Interrupt {
    terminate: Signal,
    interrupt: Signal,
}

impl Interrupt {
    pub fn listen() -> Result<Self> {
        let listen =
            |kind| signal(kind).map_err(|reason| Error::internal(format!("cannot listen for signals: {reason}")));
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    /// Waits for the next signal.
    pub async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Runs the command to its end, or drops it at the first signal and returns 130. Dropping a command stops what it started.
pub async fn or_dropped(command: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    tokio::select! {
        done = command => done,
        () = interrupt.received() => Ok(ExitCode::from(INTERRUPTED)),
    }
}
