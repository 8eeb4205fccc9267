//! A private PostgreSQL in `DATA_DIR`, used without a `DATABASE_URL`: found, set up, started and stopped by twinlab.
//!
//! It runs in a session of its own, so it outlives a killed twinlab; the next start takes it over. No start relies on a
//! clean end of the last one.

mod home;
mod process;

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::sql_types::Bool;

use crate::config::Config;
use crate::db;
use crate::error::{Error, Result};
use home::{Endpoint, Home};
use process::{Account, LockFile, Programs, State, lock_state};

/// The name of the database and of its user.
const NAME: &str = "twinlab";
/// Holds the data where the server's user cannot enter `DATA_DIR`, and the programs that root installed from npm.
const SYSTEM_HOME: &str = "/var/lib/twinlab";
/// Longest time that a server may take to recover, or to end its connections.
const START_TIMEOUT: Duration = Duration::from_secs(300);
/// Longest time that the shared memory of a dying server may keep the next one from starting.
const SHARED_MEMORY_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A running server. Dropping it also stops it, but only logs errors.
pub struct Postgres {
    server: Option<Server>,
    url: String,
}

impl Postgres {
    /// Starts the server of `DATA_DIR`, or takes over one that a killed twinlab left running. Blocks until it answers:
    /// about a second, two at the first start.
    pub fn start(config: &Config) -> Result<Self> {
        let data_dir = data_dir(&config.data_dir)?;
        let lock = lock(&data_dir)?;
        let account = Account::choose(&data_dir.join("postgres"))?;
        let home = Home::open(&data_dir, &account)?;
        let programs = Programs::find(config.pg_bin_dir.as_deref(), home.version()?, &account)?;
        home.initialize(&programs, &account)?;
        let mut server = Server { account, home, programs, scratch: None, _lock: lock };
        let endpoint = server.bring_up()?;
        let url = endpoint.url(NAME);
        let started = Self { server: Some(server), url };
        create_database(&endpoint)?;
        Ok(started)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends all connections, then the server, and waits until it has ended.
    pub fn stop(mut self) -> Result<()> {
        self.server.take().map_or(Ok(()), |server| server.stop())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(Err(reason)) = self.server.take().map(|server| server.stop()) {
            tracing::error!(%reason, "the private PostgreSQL was not stopped");
        }
    }
}

struct Server {
    account: Account,
    home: Home,
    programs: Programs,
    /// The temporary directory of the socket, where the path of the data is too long for one.
    scratch: Option<PathBuf>,
    /// The last field, so that it is dropped last: no other twinlab may touch the data until then.
    _lock: File,
}

impl Server {
    /// Brings up a server that answers, whatever state the last twinlab left.
    fn bring_up(&mut self) -> Result<Endpoint> {
        let begun = Instant::now();
        let endpoint = Endpoint::choose(&self.home, &self.account)?;
        self.scratch = endpoint.scratch(&self.home);
        while begun.elapsed() < START_TIMEOUT {
            let data = self.home.data();
            match lock_state(&data.join("postmaster.pid"), &data) {
                State::Running(left) if left.ready => {
                    if let Some(endpoint) = self.take_over(&left) {
                        return Ok(endpoint);
                    }
                }
                // It is recovering or stopping; both end by themselves.
                State::Running(_) => sleep(POLL_INTERVAL),
                State::Unreadable | State::Stale => self.clear_away(&endpoint)?,
                State::Free => {
                    if self.launch(&endpoint, begun)? {
                        return Ok(endpoint);
                    }
                }
            }
        }
        let log = self.home.log();
        Err(Error::internal(format!("PostgreSQL is not ready after {START_TIMEOUT:?}: see {}", log.display())))
    }

    /// The address of a server that runs already. One that does not answer is stopped: `None`.
    fn take_over(&self, left: &LockFile) -> Option<Endpoint> {
        let answered = Endpoint::of(left, &self.home)
            .and_then(|endpoint| db::connect(&endpoint.url("postgres")).map(|_| endpoint));
        match answered {
            Ok(endpoint) => {
                tracing::info!(process = left.pid, "took over the private PostgreSQL that was left running");
                Some(endpoint)
            }
            Err(reason) => {
                tracing::warn!(%reason, process = left.pid, "the PostgreSQL left running does not answer: restarting it");
                self.signal(left.pid, "QUIT");
                sleep(POLL_INTERVAL);
                None
            }
        }
    }

    /// Removes a lock file that no server of this data holds. A server that runs although its lock file was lost is found
    /// by its socket's lock file, and stopped first.
    fn clear_away(&self, endpoint: &Endpoint) -> Result<()> {
        let data = self.home.data();
        if let Some(socket_lock) = endpoint.lock_file() {
            if let State::Running(left) = lock_state(&socket_lock, &data) {
                self.signal(left.pid, "INT");
                sleep(POLL_INTERVAL);
                return Ok(());
            }
            remove(&socket_lock)?;
        }
        tracing::warn!("removed a lock file that a PostgreSQL left behind");
        remove(&data.join("postmaster.pid"))
    }

    fn signal(&self, process: i32, signal: &str) {
        let mut command = self.account.command(&self.programs.pg_ctl());
        // An error means that it has ended: the lock file is read again after this.
        let _ = command.args(["kill", signal, &process.to_string()]).output();
    }

    /// Starts the server. `false`: the last server's shared memory is still in use; try again.
    fn launch(&self, endpoint: &Endpoint, begun: Instant) -> Result<bool> {
        if let Some(socket_lock) = endpoint.lock_file()
            && matches!(lock_state(&socket_lock, &self.home.data()), State::Unreadable | State::Stale)
        {
            remove(&socket_lock)?;
        }
        self.home.write_settings(endpoint)?;
        let log = self.home.start_log(&self.account)?;
        // Relative paths, because pg_ctl passes them to a shell.
        let started = self
            .account
            .command(&self.programs.pg_ctl())
            .current_dir(self.home.path())
            .args(["start", "--pgdata=data", "--log=server.log", "--wait", "--silent"])
            .arg(format!("--timeout={}", START_TIMEOUT.as_secs()))
            .output()
            .map_err(|reason| Error::internal(format!("cannot run {}: {reason}", self.programs.pg_ctl().display())))?;
        if started.status.success() {
            return Ok(true);
        }
        let said = fs::read_to_string(&log).unwrap_or_default();
        if said.contains("is still in use") && begun.elapsed() < SHARED_MEMORY_TIMEOUT {
            sleep(POLL_INTERVAL);
            return Ok(false);
        }
        let reason = said.lines().rev().find(|line| line.contains("FATAL")).map_or_else(
            || String::from_utf8_lossy(&started.stderr).split_whitespace().collect::<Vec<_>>().join(" "),
            |line| line.split_once("FATAL:").map_or(line, |(_, reason)| reason).trim().to_owned(),
        );
        Err(Error::internal(format!("PostgreSQL did not start: {reason} (see {})", log.display())))
    }

    fn stop(self) -> Result<()> {
        let data = self.home.data();
        let stopped = ["fast", "immediate"].iter().any(|mode| {
            let mut command = self.account.command(&self.programs.pg_ctl());
            command.current_dir(self.home.path()).args(["stop", "--pgdata=data", "--wait", "--silent", "--timeout=60"]);
            let ended = command.arg(format!("--mode={mode}")).output().is_ok_and(|output| output.status.success());
            ended || !matches!(lock_state(&data.join("postmaster.pid"), &data), State::Running(_))
        });
        if let Some(scratch) = &self.scratch {
            // If it stays, the next start uses it again.
            let _ = fs::remove_dir_all(scratch);
        }
        if stopped { Ok(()) } else { Err(Error::internal(format!("cannot stop PostgreSQL in {}", data.display()))) }
    }
}

fn create_database(endpoint: &Endpoint) -> Result<()> {
    let mut connection = db::connect(&endpoint.url("postgres"))?;
    let there: bool =
        diesel::select(diesel::dsl::sql::<Bool>(&format!("EXISTS (SELECT FROM pg_database WHERE datname = '{NAME}')")))
            .get_result(&mut connection)?;
    if !there {
        diesel::sql_query(format!("CREATE DATABASE {NAME}")).execute(&mut connection)?;
    }
    Ok(())
}

fn data_dir(given: &Path) -> Result<PathBuf> {
    fs::create_dir_all(given)
        .and_then(|()| given.canonicalize())
        .map_err(|reason| Error::bad_input(format!("DATA_DIR {} cannot be used: {reason}", given.display())))
}

/// Locks `DATA_DIR` for this process. The kernel releases the lock when the process ends, however it ends.
fn lock(data_dir: &Path) -> Result<File> {
    let path = data_dir.join("twinlab.lock");
    let failed = |reason: std::io::Error| Error::internal(format!("cannot lock {}: {reason}", path.display()));
    let mut file = File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(failed)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
            Err(Error::internal(format!(
                "another twinlab (process {holder}) uses DATA_DIR {}: stop it, or set another DATA_DIR or a DATABASE_URL",
                data_dir.display()
            )))
        }
        Err(TryLockError::Error(reason)) => Err(failed(reason)),
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(reason) if reason.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::internal(format!("cannot remove {}: {reason}", path.display())))
        }
        _ => Ok(()),
    }
}
