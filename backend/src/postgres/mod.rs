//! A private PostgreSQL in `DATA_DIR`, used without a `DATABASE_URL`: found, set up, started and stopped by twinlab.
//!
//! It runs in a session of its own, so it outlives a killed twinlab; the next start takes it over. No start relies on a
//! clean end of the last one.

mod home;
mod process;
mod watch;

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::sql_types::Bool;

use crate::config::{Config, create_data_dir};
use crate::db;
use crate::error::{Error, Result};
use home::{Endpoint, Home};
pub use process::client;
use process::{LockFile, OsUser, Programs, State, lock_state, servers_in};
use watch::Watch;
pub use watch::trouble;

/// The name of the database and of its user.
const NAME: &str = "twinlab";
/// Holds the data where the server's user cannot enter `DATA_DIR`, and the programs that root installed from npm.
const SYSTEM_HOME: &str = "/var/lib/twinlab";
/// Longest time that a server may take to recover, or to end its connections.
const START_TIMEOUT: Duration = Duration::from_secs(300);
/// Longest time that the shared memory of a dying server may keep the next one from starting.
const SHARED_MEMORY_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Longest time that a command waits for the server of another twinlab that is still starting.
const GUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A running server, started again whenever it dies. Dropping it also stops it, but only logs errors.
pub struct Postgres {
    /// `None`: the server is another twinlab's, which stops it.
    watch: Option<Watch>,
    url: String,
}

impl Postgres {
    /// Starts the server of `DATA_DIR`, or takes over one that a killed twinlab left running. Blocks until it answers:
    /// about a second, two at the first start.
    pub fn start(config: &Config) -> Result<Self> {
        let data_dir = data_dir(&config.data_dir)?;
        let lock = lock(&data_dir)?;
        Self::start_locked(config, &data_dir, lock)
    }

    /// As [`Postgres::start`], but where another twinlab runs the server of `DATA_DIR`, that one is used and left running.
    pub fn visit(config: &Config) -> Result<Self> {
        let data_dir = data_dir(&config.data_dir)?;
        let begun = Instant::now();
        loop {
            match lock(&data_dir) {
                Ok(lock) => return Self::start_locked(config, &data_dir, lock),
                Err(taken) => {
                    if let Some(url) = running(&data_dir) {
                        return Ok(Self { watch: None, url });
                    }
                    // It may be starting or stopping.
                    if begun.elapsed() > GUEST_TIMEOUT {
                        return Err(taken);
                    }
                    sleep(POLL_INTERVAL);
                }
            }
        }
    }

    fn start_locked(config: &Config, data_dir: &Path, lock: File) -> Result<Self> {
        let account = OsUser::choose(&data_dir.join("postgres"))?;
        let home = Home::open(data_dir, &account)?;
        let programs = Programs::find(config.pg_bin_dir.as_deref(), home.version()?, &account)?;
        home.initialize(&programs, &account)?;
        let endpoint = Endpoint::choose(&home, &account)?;
        let mut server = Server { account, home, programs, endpoint, _lock: lock };
        server.bring_up()?;
        let url = server.endpoint.url(NAME);
        let maintenance = server.endpoint.url("postgres");
        let started = Self { watch: Some(Watch::over(server)?), url };
        create_database(&maintenance)?;
        Ok(started)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends all connections, then the server, and waits until it has ended.
    pub fn stop(mut self) -> Result<()> {
        self.watch.take().map_or(Ok(()), Watch::end)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(Err(reason)) = self.watch.take().map(Watch::end) {
            tracing::error!(%reason, "the private PostgreSQL was not stopped");
        }
    }
}

struct Server {
    account: OsUser,
    home: Home,
    programs: Programs,
    endpoint: Endpoint,
    /// The last field, so that it is dropped last: no other twinlab may touch the data until then.
    _lock: File,
}

impl Server {
    /// Brings up a server that answers, whatever state the last twinlab left.
    fn bring_up(&mut self) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < START_TIMEOUT {
            let data = self.home.data();
            match lock_state(&data.join("postmaster.pid"), &data) {
                State::Running(left) if left.ready => {
                    if let Some(endpoint) = self.take_over(&left) {
                        self.endpoint = endpoint;
                        return Ok(());
                    }
                }
                // It is recovering or stopping; both end by themselves.
                State::Running(_) => sleep(POLL_INTERVAL),
                State::Unreadable | State::Stale => self.clear_away()?,
                State::Free => {
                    if self.launch(begun)? {
                        return Ok(());
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
    fn clear_away(&self) -> Result<()> {
        let data = self.home.data();
        if let Some(socket_lock) = self.endpoint.lock_file() {
            if let State::Running(left) = lock_state(&socket_lock, &data) {
                self.signal(left.pid, "INT");
                sleep(POLL_INTERVAL);
                return Ok(());
            }
            remove(&socket_lock)?;
        }
        // Without the lock file PostgreSQL would not see what is left of a server, and two would write to the data.
        let left = servers_in(&data);
        if !left.is_empty() {
            left.iter().for_each(|process| self.signal(*process, "QUIT"));
            sleep(POLL_INTERVAL);
            return Ok(());
        }
        tracing::warn!("removed a lock file that a PostgreSQL left behind");
        remove(&data.join("postmaster.pid"))
    }

    /// Whether a server of this data runs, be it ready or recovering.
    fn runs(&self) -> bool {
        let data = self.home.data();
        matches!(lock_state(&data.join("postmaster.pid"), &data), State::Running(_))
    }

    fn signal(&self, process: i32, signal: &str) {
        let mut command = self.account.command(&self.programs.pg_ctl());
        // An error means that it has ended: the lock file is read again after this.
        let _ = command.args(["kill", signal, &process.to_string()]).output();
    }

    /// Starts the server. `false`: what the last one left is still in the way; try again.
    fn launch(&self, begun: Instant) -> Result<bool> {
        // What is left of a server that was killed ends sooner if it is told to, and until then none can be started.
        let left = servers_in(&self.home.data());
        if !left.is_empty() {
            left.iter().for_each(|process| self.signal(*process, "QUIT"));
            sleep(POLL_INTERVAL);
            return Ok(false);
        }
        if let Some(socket_lock) = self.endpoint.lock_file()
            && matches!(lock_state(&socket_lock, &self.home.data()), State::Unreadable | State::Stale)
        {
            remove(&socket_lock)?;
        }
        self.home.write_settings(&self.endpoint)?;
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
        // The second is said where a twinlab was killed while it started a server, which now comes up by itself.
        let meanwhile =
            said.contains("is still in use") || said.contains("lock file \"postmaster.pid\" already exists");
        if meanwhile && begun.elapsed() < SHARED_MEMORY_TIMEOUT {
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
            ended || !self.runs()
        });
        if let Some(scratch) = self.endpoint.scratch(&self.home) {
            // If it stays, the next start uses it again.
            let _ = fs::remove_dir_all(&scratch);
        }
        if stopped { Ok(()) } else { Err(Error::internal(format!("cannot stop PostgreSQL in {}", data.display()))) }
    }
}

fn create_database(maintenance: &str) -> Result<()> {
    let mut connection = db::connect(maintenance)?;
    if is_there(&mut connection)? {
        return Ok(());
    }
    match diesel::sql_query(format!("CREATE DATABASE {NAME}")).execute(&mut connection) {
        // The server may still have been at it for a twinlab that was killed.
        Err(_) if is_there(&mut connection)? => Ok(()),
        done => Ok(done.map(drop)?),
    }
}

fn is_there(connection: &mut PgConnection) -> QueryResult<bool> {
    diesel::select(diesel::dsl::sql::<Bool>(&format!("EXISTS (SELECT FROM pg_database WHERE datname = '{NAME}')")))
        .get_result(connection)
}

/// The address of the database that another twinlab has set up and runs. `None`: it does not answer yet, or any more.
fn running(data_dir: &Path) -> Option<String> {
    // Opening a home would make one, in the way of the twinlab that does so.
    if !data_dir.join("postgres/data").exists() {
        return None;
    }
    let account = OsUser::choose(&data_dir.join("postgres")).ok()?;
    let home = Home::open(data_dir, &account).ok()?;
    let data = home.data();
    let State::Running(server) = lock_state(&data.join("postmaster.pid"), &data) else { return None };
    let url = Endpoint::of(&server, &home).ok()?.url(NAME);
    (server.ready && db::connect(&url).is_ok()).then_some(url)
}

fn data_dir(given: &Path) -> Result<PathBuf> {
    create_data_dir(given)
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
