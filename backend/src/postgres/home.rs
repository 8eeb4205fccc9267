//! Where the server lives: its data, its log and, usually, its socket.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::account::Account;
use super::endpoint::Endpoint;
use super::programs::Programs;
use super::{ELSEWHERE, NAME};
use crate::error::{Error, Result};

const SETTINGS_FILE: &str = "twinlab.conf";
/// The same text sorts and upper-cases the same way on every machine that has it.
const LOCALE: &str = if cfg!(target_os = "linux") { "C.UTF-8" } else { "C" };

/// For a small machine with one program on it; everything else is PostgreSQL's own choice, durability above all.
const SETTINGS: &str = "\
max_connections = 100
shared_buffers = '128MB'
wal_compression = on
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
";

pub struct Home {
    /// Canonical.
    path: PathBuf,
    /// Ours, not the server's: outside of its home.
    password_file: PathBuf,
}

impl Home {
    /// `DATA_DIR/postgres`, made if need be. Where the server's user cannot enter `DATA_DIR`, that is a link to a
    /// directory elsewhere.
    pub fn open(data_dir: &Path, account: &Account) -> Result<Self> {
        let place = data_dir.join("postgres");
        let failed = |path: &Path, reason: io::Error| {
            Error::internal(format!("cannot make {} for PostgreSQL: {reason}", path.display()))
        };
        if fs::symlink_metadata(&place).is_err() {
            if account.reaches(data_dir) {
                DirBuilder::new().mode(0o700).create(&place).map_err(|reason| failed(&place, reason))?;
            } else {
                let target = elsewhere(account).map_err(|reason| failed(Path::new(ELSEWHERE), reason))?;
                symlink(&target, &place).map_err(|reason| failed(&place, reason))?;
                tracing::info!(
                    "user {} cannot enter {}: PostgreSQL's data are in {}",
                    account.name(),
                    data_dir.display(),
                    target.display()
                );
            }
        }
        let path = place.canonicalize().map_err(|reason| {
            Error::internal(format!("{} points to data that cannot be found: {reason}", place.display()))
        })?;
        account.give(&path).map_err(|reason| failed(&path, reason))?;
        if !account.reaches(&path) {
            let (name, path) = (account.name(), path.display());
            return Err(Error::internal(format!("PostgreSQL runs as user {name}, who cannot enter {path}")));
        }
        Ok(Self { path, password_file: data_dir.join("postgres.password") })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    pub fn log(&self) -> PathBuf {
        self.path.join("server.log")
    }

    /// The major version that made the data; `None` where there are none yet.
    pub fn version(&self) -> Result<Option<u32>> {
        let file = self.data().join("PG_VERSION");
        match fs::read_to_string(&file) {
            Ok(text) => text.trim().parse().map(Some).map_err(|_| {
                Error::internal(format!("{} tells no version: the data are not PostgreSQL's", file.display()))
            }),
            Err(reason) if reason.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(reason) => Err(Error::internal(format!("cannot read {}: {reason}", file.display()))),
        }
    }

    /// Makes the data where there are none. They come into their place whole: what a crash leaves of the making is
    /// thrown away.
    pub fn initialize(&self, programs: &Programs, account: &Account) -> Result<()> {
        if self.version()?.is_some() {
            return Ok(());
        }
        let failed = |reason: &dyn std::fmt::Display| {
            Error::internal(format!("cannot make PostgreSQL's data in {}: {reason}", self.path.display()))
        };
        tracing::info!(version = programs.version, "making the private PostgreSQL in {}", self.path.display());
        let draft = self.path.join("data.new");
        if draft.exists() {
            fs::remove_dir_all(&draft).map_err(|reason| failed(&reason))?;
        }
        let password = self.path.join("password.new");
        self.make_password(&password, account).map_err(|reason| failed(&reason))?;
        let made = account
            .command(&programs.initdb())
            .current_dir(&self.path)
            .args(["--pgdata=data.new", "--encoding=UTF8", "--auth-local=trust", "--auth-host=scram-sha-256"])
            .args([format!("--username={NAME}"), format!("--locale={LOCALE}"), "--pwfile=password.new".to_owned()])
            .output()
            .map_err(|reason| failed(&reason))?;
        fs::remove_file(&password).map_err(|reason| failed(&reason))?;
        if !made.status.success() {
            let said = String::from_utf8_lossy(&made.stderr);
            let line = said.lines().find(|line| line.contains("error:")).or(said.lines().next());
            return Err(failed(&line.unwrap_or("initdb failed")));
        }
        let settings = OpenOptions::new().append(true).open(draft.join("postgresql.conf"));
        settings
            .and_then(|mut file| writeln!(file, "\ninclude '{SETTINGS_FILE}'").and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&draft, self.data()))
            .map_err(|reason| failed(&reason))
    }

    /// Kept for the case that the server can only be reached over loopback, some day if not now.
    fn make_password(&self, for_initdb: &Path, account: &Account) -> io::Result<()> {
        let password = Uuid::new_v4().simple().to_string();
        for file in [&self.password_file, for_initdb] {
            if file.exists() {
                fs::remove_file(file)?;
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
            file.write_all(password.as_bytes())?;
        }
        account.give(for_initdb)
    }

    pub fn password(&self) -> Result<String> {
        fs::read_to_string(&self.password_file)
            .map_err(|reason| Error::internal(format!("cannot read {}: {reason}", self.password_file.display())))
    }

    /// Read by the server at its start, by its user.
    pub fn write_settings(&self, endpoint: &Endpoint) -> Result<()> {
        let file = self.data().join(SETTINGS_FILE);
        let text = format!("# Written by twinlab at every start.\n{}{SETTINGS}", endpoint.settings());
        // A new file: root must not follow a link that the server's user may have put there.
        let written = match fs::remove_file(&file) {
            Err(reason) if reason.kind() != io::ErrorKind::NotFound => Err(reason),
            _ => OpenOptions::new().write(true).create_new(true).mode(0o644).open(&file),
        };
        written
            .and_then(|mut written| written.write_all(text.as_bytes()))
            .map_err(|reason| Error::internal(format!("cannot write {}: {reason}", file.display())))
    }

    /// An empty log for a new server; the last one's is kept beside it.
    pub fn start_log(&self, account: &Account) -> Result<PathBuf> {
        let log = self.log();
        let failed = |reason: io::Error| Error::internal(format!("cannot write {}: {reason}", log.display()));
        if log.exists() {
            fs::rename(&log, log.with_extension("log.1")).map_err(failed)?;
        }
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&log).map_err(failed)?;
        account.give(&log).map_err(failed)?;
        Ok(log)
    }
}

/// A new directory that the user can enter, under one that root owns.
fn elsewhere(account: &Account) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o755).create(ELSEWHERE)?;
    let directory = Path::new(ELSEWHERE).join(Uuid::new_v4().to_string());
    DirBuilder::new().mode(0o700).create(&directory)?;
    account.give(&directory)?;
    Ok(directory)
}
