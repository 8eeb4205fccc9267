//! Ctrl-C and SIGTERM.

use std::process::ExitCode;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::{Error, Result};

/// What a shell reports of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// The signals that ask the program to end. From its making on they no longer end the process by themselves.
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

    /// Until the first of them, or the next.
    pub async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// The command's own end, or 130 at the first signal. Dropping the command stops what it started.
pub async fn or_dropped(command: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    tokio::select! {
        done = command => done,
        () = interrupt.received() => Ok(ExitCode::from(INTERRUPTED)),
    }
}
