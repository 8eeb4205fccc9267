//! Lets several twinlabs share the private PostgreSQL of a `DATA_DIR`: one owns the server and stops it, the others are
//! its guests. Both hold a lock on a file, which the kernel releases when the process ends in any way.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::POLL_INTERVAL;
use super::lock_file::is_alive;
use crate::error::{Error, Result};

const OWNER: &str = "twinlab.lock";
const GUESTS: &str = "guests.lock";
/// Word after the owner's process id in its lock file.
const PASSING: &str = "command";

/// How long a process owns the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// Until the process is ended: other processes are refused.
    Lasting,
    /// One command: other processes wait for its end.
    Passing,
}

/// The reason why a `DATA_DIR` cannot be used now.
#[derive(Debug)]
pub enum Unopened {
    /// Another twinlab is about to start, stop or leave the server: try again in a moment.
    Busy(Error),
    Failed(Error),
}

impl From<Error> for Unopened {
    fn from(reason: Error) -> Self {
        Self::Failed(reason)
    }
}

impl From<Unopened> for Error {
    fn from(unopened: Unopened) -> Self {
        match unopened {
            Unopened::Busy(reason) | Unopened::Failed(reason) => reason,
        }
    }
}

/// The lock of the process that starts and stops the server.
pub struct Owner {
    _lock: File,
    /// Opened at the start, since at the end there may be no file descriptors left.
    guests: File,
}

impl Owner {
    pub fn lock(data_dir: &Path, stay: Stay) -> Result<Self, Unopened> {
        let path = data_dir.join(OWNER);
        let mut lock = open(&path)?;
        match lock.try_lock() {
            Ok(()) => {
                let name = match stay {
                    Stay::Lasting => std::process::id().to_string(),
                    Stay::Passing => format!("{} {PASSING}", std::process::id()),
                };
                lock.set_len(0).and_then(|()| write!(lock, "{name}")).map_err(|reason| failed(&path, &reason))?;
                Ok(Self { _lock: lock, guests: open(&data_dir.join(GUESTS))? })
            }
            Err(TryLockError::WouldBlock) => Err(taken(&mut lock, data_dir)),
            Err(TryLockError::Error(reason)) => Err(failed(&path, &reason).into()),
        }
    }

    /// Waits until no guest uses the server, and admits none from then on. `false`: some still use it after `patience`.
    pub fn wait_for_guests(&self, patience: Duration) -> bool {
        let begun = Instant::now();
        let mut logged = false;
        while self.guests.try_lock().is_err() {
            if begun.elapsed() >= patience {
                return false;
            }
            if !std::mem::replace(&mut logged, true) {
                tracing::info!("waiting up to {patience:?} for the commands that use the private PostgreSQL");
            }
            sleep(POLL_INTERVAL);
        }
        true
    }
}

/// The error for a lock that another twinlab holds. The lock file names the holder, once the holder has written it.
fn taken(lock: &mut File, data_dir: &Path) -> Unopened {
    let mut holder = String::new();
    let _ = lock.rewind().and_then(|()| lock.read_to_string(&mut holder));
    let mut words = holder.split_whitespace();
    let process = words.next().and_then(|word| word.parse().ok());
    let reason = Error::internal(format!(
        "another twinlab (process {}) uses DATA_DIR {}: stop it, or set another DATA_DIR or a DATABASE_URL",
        process.unwrap_or_default(),
        data_dir.display()
    ));
    // A dead process is one that held the lock before.
    let lasting = process.is_some_and(is_alive) && words.next() != Some(PASSING);
    if lasting { Unopened::Failed(reason) } else { Unopened::Busy(reason) }
}

/// Takes a shared lock, which makes the owner leave the server running. `None`: the owner is stopping it.
pub fn lock_as_guest(data_dir: &Path) -> Result<Option<File>> {
    let path = data_dir.join(GUESTS);
    let guest = open(&path)?;
    match guest.try_lock_shared() {
        Ok(()) => Ok(Some(guest)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(reason)) => Err(failed(&path, &reason)),
    }
}

fn open(path: &Path) -> Result<File> {
    let opened = File::options().read(true).write(true).create(true).truncate(false).open(path);
    opened.map_err(|reason| failed(path, &reason))
}

fn failed(path: &Path, reason: &std::io::Error) -> Error {
    Error::internal(format!("cannot lock {}: {reason}", path.display()))
}
