//! A private PostgreSQL in `DATA_DIR`, for use without a `DATABASE_URL`: twinlab finds the programs, sets it up, starts
//! it and stops it.
//!
//! It runs in a session of its own, so it outlives a killed twinlab; the next start takes it over. No start relies on a
//! clean end of the last one.
//!
//! A server that may be alive is never touched: only a lock file that is missing or names a dead process shows that it
//! died. An unreadable lock file shows nothing.

mod home;
mod lock_file;
mod owner;
mod process;
mod watch;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::sql_types::Bool;

use crate::config::{Config, create_data_dir};
use crate::db;
use crate::error::{Error, Result};
use home::{Endpoint, Home};
use lock_file::{LockFile, State, lock_state, servers_in};
pub use owner::Unopened;
use owner::{Owner, Stay, lock_as_guest};
pub use process::client;
use process::{OsUser, Programs};
use watch::Watch;
pub use watch::trouble;

/// Name of the database and of its user.
const NAME: &str = "twinlab";
/// Directory for the data if the server's user cannot enter `DATA_DIR`, and for the programs that root installed from
/// npm.
const SYSTEM_HOME: &str = "/var/lib/twinlab";
/// Time limit for a server to recover, or to end its connections.
const START_TIMEOUT: Duration = Duration::from_secs(300);
/// Time for which the shared memory of a dying server may keep the next one from starting.
const SHARED_MEMORY_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time for which a server is kept for its guests when its owner ends. It is left running for guests that need longer.
const GUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A running server, which is restarted whenever it dies. Dropping it works like [`Postgres::stop`], but waits for no
/// guests and only logs errors.
pub struct Postgres {
    role: Role,
    url: String,
}

enum Role {
    /// `None`: the server is stopped already.
    Owner(Option<Watch>),
    /// Another twinlab owns the server and keeps it while this lock is held.
    Guest { lock: File, config: Box<Config> },
}

impl Postgres {
    /// Starts the server of `DATA_DIR`, or takes over one that a killed twinlab left running. Blocks until it answers:
    /// about a second, two at the first start.
    pub fn start(config: &Config) -> Result<Self, Unopened> {
        let data_dir = data_dir(&config.data_dir)?;
        let owner = Owner::lock(&data_dir, Stay::Lasting)?;
        Ok(Self::start_locked(config, &data_dir, owner)?)
    }

    /// Like [`Postgres::start`], but if another twinlab runs the server of `DATA_DIR`, uses that one and leaves it
    /// running.
    pub fn connect_or_start(config: &Config) -> Result<Self, Unopened> {
        let data_dir = data_dir(&config.data_dir)?;
        let taken = match Owner::lock(&data_dir, Stay::Passing) {
            Ok(owner) => return Ok(Self::start_locked(config, &data_dir, owner)?),
            Err(Unopened::Busy(reason) | Unopened::Failed(reason)) => reason,
        };
        // The lock comes before the check: from then on the owner waits for this guest.
        if let Some(lock) = lock_as_guest(&data_dir)?
            && let Some(url) = running(&data_dir)
        {
            return Ok(Self { role: Role::Guest { lock, config: Box::new(config.clone()) }, url });
        }
        Err(Unopened::Busy(taken))
    }

    fn start_locked(config: &Config, data_dir: &Path, owner: Owner) -> Result<Self> {
        let account = OsUser::choose(&data_dir.join("postgres"))?;
        let home = Home::open(data_dir, &account)?;
        let programs = Programs::find(config.pg_bin_dir.as_deref(), home.version()?, &account)?;
        home.initialize(&programs, &account)?;
        let endpoint = Endpoint::choose(&home, &account)?;
        let mut server = Server { account, home, programs, endpoint, owner };
        server.ensure_running()?;
        let url = server.endpoint.url(NAME);
        let maintenance = server.endpoint.url("postgres");
        let started = Self { role: Role::Owner(Some(Watch::over(server)?)), url };
        create_database(&maintenance)?;
        Ok(started)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits for the guests, ends all connections, then the server, and waits until it has ended. A guest leaves a
    /// server that has an owner running.
    pub fn stop(mut self) -> Result<()> {
        self.end(GUEST_TIMEOUT)
    }

    fn end(&mut self, patience: Duration) -> Result<()> {
        match &mut self.role {
            Role::Owner(watch) => watch.take().map_or(Ok(()), |watch| watch.end(patience)),
            Role::Guest { lock, config } => {
                let _ = lock.unlock();
                let data_dir = data_dir(&config.data_dir)?;
                // The owner may have ended without waiting for this guest.
                match Owner::lock(&data_dir, Stay::Passing) {
                    Ok(owner) if running(&data_dir).is_some() => Self::start_locked(config, &data_dir, owner)?.stop(),
                    _ => Ok(()),
                }
            }
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Role::Owner(Some(_)) = self.role
            && let Err(reason) = self.end(Duration::ZERO)
        {
            tracing::error!(%reason, "the private PostgreSQL was not stopped");
        }
    }
}

struct Server {
    account: OsUser,
    home: Home,
    programs: Programs,
    endpoint: Endpoint,
    /// The last field, so that it is dropped last: no other twinlab may touch the data before.
    owner: Owner,
}

impl Server {
    /// Starts the server or takes it over, whatever state the last twinlab left, until it answers.
    fn ensure_running(&mut self) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < START_TIMEOUT {
            match self.state(&self.lock_file())? {
                State::Running(left) if left.ready => {
                    if let Some(endpoint) = self.take_over(&left)? {
                        self.endpoint = endpoint;
                        return Ok(());
                    }
                }
                // The server is recovering or stopping; both end by themselves.
                State::Running(_) => {}
                State::Damaged | State::Stale => self.remove_stale()?,
                State::Free => {
                    if self.launch(begun)? {
                        return Ok(());
                    }
                }
            }
            sleep(POLL_INTERVAL);
        }
        let log = self.home.log();
        Err(Error::internal(format!("PostgreSQL is not ready after {START_TIMEOUT:?}: see {}", log.display())))
    }

    fn lock_file(&self) -> PathBuf {
        self.home.data().join("postmaster.pid")
    }

    /// Returns the state. Fails if it is unknown: then the server must not be touched.
    fn state(&self, lock_file: &Path) -> Result<State> {
        lock_state(lock_file, &self.home.data()).map_err(|reason| unknown(&reason))
    }

    /// Returns the address of a server that is already running. One that does not answer is stopped: `None`.
    fn take_over(&self, left: &LockFile) -> Result<Option<Endpoint>> {
        let answered = Endpoint::from_lock_file(left, &self.home)
            .and_then(|endpoint| db::connect(&endpoint.url("postgres")).map(|_| endpoint));
        match answered {
            Ok(endpoint) => {
                tracing::info!(process = left.pid, "took over the private PostgreSQL that was left running");
                Ok(Some(endpoint))
            }
            Err(reason) => {
                // Without a free file descriptor, no connection can succeed.
                File::open("/dev/null").map_err(|reason| unknown(&reason))?;
                tracing::warn!(%reason, process = left.pid, "the PostgreSQL left running does not answer: restarting it");
                self.signal(left.pid, "QUIT");
                Ok(None)
            }
        }
    }

    /// Removes a lock file that no server of this data holds. A server that has lost its lock file but still runs is
    /// found by its socket's lock file, and stopped first.
    fn remove_stale(&self) -> Result<()> {
        if let Some(socket_lock) = self.endpoint.lock_file() {
            if let State::Running(left) = self.state(&socket_lock)? {
                self.signal(left.pid, "INT");
                return Ok(());
            }
            remove(&socket_lock)?;
        }
        // Without the lock file PostgreSQL would not notice leftover processes, and two servers would write to the
        // data.
        if self.end_leftovers()? {
            return Ok(());
        }
        tracing::warn!("removed a lock file that a PostgreSQL left behind");
        remove(&self.lock_file())
    }

    /// Signals leftover processes of a server to end. Returns whether there are any.
    fn end_leftovers(&self) -> Result<bool> {
        let left = servers_in(&self.home.data()).map_err(|reason| unknown(&reason))?;
        left.iter().for_each(|process| self.signal(*process, "QUIT"));
        Ok(!left.is_empty())
    }

    /// Whether a server of this data runs, ready or recovering. Fails if this is unknown.
    fn runs(&self) -> Result<bool> {
        Ok(matches!(self.state(&self.lock_file())?, State::Running(_)))
    }

    fn signal(&self, process: i32, signal: &str) {
        let mut command = self.account.command(&self.programs.pg_ctl());
        // An error means that the process has ended: the lock file is read again after this.
        let _ = command.args(["kill", signal, &process.to_string()]).output();
    }

    /// Starts the server. `false`: leftovers of the last one are still in the way; try again.
    fn launch(&self, begun: Instant) -> Result<bool> {
        // Leftover processes of a killed server end sooner if they are signalled, and until then no server can be
        // started.
        if self.end_leftovers()? {
            return Ok(false);
        }
        if let Some(socket_lock) = self.endpoint.lock_file()
            && matches!(self.state(&socket_lock)?, State::Damaged | State::Stale)
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
        // The second message appears if a twinlab was killed while it started a server, which is now starting by
        // itself.
        let meanwhile =
            said.contains("is still in use") || said.contains("lock file \"postmaster.pid\" already exists");
        if meanwhile && begun.elapsed() < SHARED_MEMORY_TIMEOUT {
            return Ok(false);
        }
        let reason = said.lines().rev().find(|line| line.contains("FATAL")).map_or_else(
            || String::from_utf8_lossy(&started.stderr).split_whitespace().collect::<Vec<_>>().join(" "),
            |line| line.split_once("FATAL:").map_or(line, |(_, reason)| reason).trim().to_owned(),
        );
        Err(Error::internal(format!("PostgreSQL did not start: {reason} (see {})", log.display())))
    }

    /// Waits for the guests, then stops the server. It is left running for guests that need longer than `patience`.
    fn stop(self, patience: Duration) -> Result<()> {
        if !self.owner.wait_for_guests(patience) {
            tracing::warn!("the private PostgreSQL is left running for a command that uses it");
            return Ok(());
        }
        let data = self.home.data();
        let stopped = ["fast", "immediate"].iter().any(|mode| {
            let mut command = self.account.command(&self.programs.pg_ctl());
            command.current_dir(self.home.path()).args(["stop", "--pgdata=data", "--wait", "--silent", "--timeout=60"]);
            let ended = command.arg(format!("--mode={mode}")).output().is_ok_and(|output| output.status.success());
            ended || self.runs().is_ok_and(|runs| !runs)
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
        // A server started by a killed twinlab may have created it meanwhile.
        Err(_) if is_there(&mut connection)? => Ok(()),
        done => Ok(done.map(drop)?),
    }
}

fn is_there(connection: &mut PgConnection) -> QueryResult<bool> {
    diesel::select(diesel::dsl::sql::<Bool>(&format!("EXISTS (SELECT FROM pg_database WHERE datname = '{NAME}')")))
        .get_result(connection)
}

/// Returns the URL of the database that another twinlab has set up and runs. `None`: it does not answer yet, or no
/// longer.
fn running(data_dir: &Path) -> Option<String> {
    // Opening a home would create one, in the way of the twinlab that is doing so.
    if !data_dir.join("postgres/data").exists() {
        return None;
    }
    let account = OsUser::choose(&data_dir.join("postgres")).ok()?;
    let home = Home::open(data_dir, &account).ok()?;
    let data = home.data();
    let State::Running(server) = lock_state(&data.join("postmaster.pid"), &data).ok()? else { return None };
    let url = Endpoint::from_lock_file(&server, &home).ok()?.url(NAME);
    (server.ready && db::connect(&url).is_ok()).then_some(url)
}

fn data_dir(given: &Path) -> Result<PathBuf> {
    create_data_dir(given)
        .and_then(|()| given.canonicalize())
        .map_err(|reason| Error::bad_input(format!("DATA_DIR {} cannot be used: {reason}", given.display())))
}

fn unknown(reason: &std::io::Error) -> Error {
    Error::internal(format!("cannot tell whether PostgreSQL runs: {reason}"))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(reason) if reason.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::internal(format!("cannot remove {}: {reason}", path.display())))
        }
        _ => Ok(()),
    }
}
