//! Signals that end the program: Ctrl-C, SIGTERM, and SIGHUP, which a terminal sends when it closes.

use std::process::ExitCode;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::{Error, Result};

/// The exit code that shells give a program ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Listens for the signals. While it does, they do not end the process by themselves.
pub struct Interrupt {
    terminate: Signal,
    interrupt: Signal,
    /// `None`: `nohup` made the process ignore it.
    hang_up: Option<Signal>,
    terminated: bool,
}

impl Interrupt {
    pub fn listen() -> Result<Self> {
        let listen =
            |kind| signal(kind).map_err(|reason| Error::internal(format!("cannot listen for signals: {reason}")));
        let hang_up = if ignores_hang_up() { None } else { Some(listen(SignalKind::hangup())?) };
        let (terminate, interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
        Ok(Self { terminate, interrupt, hang_up, terminated: false })
    }

    /// Whether SIGTERM was received, which other programs send; the other signals come from a terminal.
    pub fn is_terminated(&self) -> bool {
        self.terminated
    }

    /// Waits for the next signal.
    pub async fn received(&mut self) {
        let hung_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => self.terminated = true,
            _ = self.interrupt.recv() => {}
            _ = hung_up => {}
        }
    }
}

/// Whether `nohup` or a similar program started this process. Linux only; false elsewhere.
pub fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first bit is signal 1.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Runs the command to its end, or drops it at the first signal and returns 130. Dropping a command stops what it
/// started.
pub async fn or_dropped(command: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    tokio::select! {
        done = command => done,
        () = interrupt.received() => Ok(ExitCode::from(INTERRUPTED)),
    }
}
