//! The directory of the server with its data, its log and usually its socket; and the address that it listens on.

use std::env;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use survey::hex::hex;
use uuid::Uuid;

use super::lock_file::LockFile;
use super::process::{OsUser, Programs};
use super::{NAME, SYSTEM_HOME};
use crate::error::{Error, Result};

const SETTINGS_FILE: &str = "twinlab.conf";
/// Prefixes of the names of unfinished data and of their password files.
const DRAFT: &str = "data.new";
const PASSWORD_DRAFT: &str = "password.new";
/// Locale in which texts sort and change case in the same way on every machine.
const LOCALE: &str = if cfg!(target_os = "linux") { "C.UTF-8" } else { "C" };

/// Settings for one program on a small machine. Other settings keep PostgreSQL's defaults, durability above all.
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
    /// Canonical path.
    path: PathBuf,
    /// Outside the server's home, because the server's user does not need it.
    password_file: PathBuf,
}

impl Home {
    /// Opens `DATA_DIR/postgres`, and creates it if needed. If the server's user cannot enter `DATA_DIR`, it is a link
    /// to a directory below [`SYSTEM_HOME`].
    pub fn open(data_dir: &Path, account: &OsUser) -> Result<Self> {
        let place = data_dir.join("postgres");
        let failed = |path: &Path, reason: io::Error| {
            Error::internal(format!("cannot make {} for PostgreSQL: {reason}", path.display()))
        };
        if fs::symlink_metadata(&place).is_err() {
            if account.reaches(data_dir) {
                DirBuilder::new().mode(0o700).create(&place).map_err(|reason| failed(&place, reason))?;
            } else {
                let target = new_system_home(account).map_err(|reason| failed(Path::new(SYSTEM_HOME), reason))?;
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

    /// Returns the data's major version. `None`: there are no data yet.
    pub fn version(&self) -> Result<Option<u32>> {
        let file = self.data().join("PG_VERSION");
        match fs::read_to_string(&file) {
            Ok(text) => text.trim().parse().map(Some).map_err(|_| {
                Error::internal(format!("{} holds no version: these are not PostgreSQL's data", file.display()))
            }),
            Err(reason) if reason.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(reason) => Err(Error::internal(format!("cannot read {}: {reason}", file.display()))),
        }
    }

    /// Runs initdb if there are no data. The data get a temporary name and are then renamed, so that a crash leaves
    /// only a draft, which a later start deletes. An initdb whose twinlab was killed goes on in its own draft.
    pub fn initialize(&self, programs: &Programs, account: &OsUser) -> Result<()> {
        self.forget_drafts();
        if self.version()?.is_some() {
            return Ok(());
        }
        let failed = |reason: &dyn std::fmt::Display| {
            Error::internal(format!("cannot make PostgreSQL's data in {}: {reason}", self.path.display()))
        };
        tracing::info!(version = programs.version, "making the private PostgreSQL in {}", self.path.display());
        let id = Uuid::new_v4().simple();
        let (draft, password) = (format!("{DRAFT}{id}"), format!("{PASSWORD_DRAFT}{id}"));
        self.make_password(&self.path.join(&password), account).map_err(|reason| failed(&reason))?;
        let made = account
            .command(&programs.initdb())
            .current_dir(&self.path)
            .args(["--encoding=UTF8", "--auth-local=trust", "--auth-host=scram-sha-256", "--data-checksums"])
            .args([format!("--username={NAME}"), format!("--locale={LOCALE}")])
            .args([format!("--pgdata={draft}"), format!("--pwfile={password}")])
            .output()
            .map_err(|reason| failed(&reason))?;
        fs::remove_file(self.path.join(&password)).map_err(|reason| failed(&reason))?;
        if !made.status.success() {
            let said = String::from_utf8_lossy(&made.stderr);
            let line = said.lines().find(|line| line.contains("error:")).or(said.lines().next());
            return Err(failed(&line.unwrap_or("initdb failed")));
        }
        let draft = self.path.join(draft);
        let settings = OpenOptions::new().append(true).open(draft.join("postgresql.conf"));
        settings
            .and_then(|mut file| writeln!(file, "\ninclude '{SETTINGS_FILE}'").and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&draft, self.data()))
            .map_err(|reason| failed(&reason))
    }

    /// Deletes drafts of interrupted first starts. A draft that cannot be deleted because a lost initdb still writes to
    /// it is left to a later start.
    fn forget_drafts(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.to_string_lossy().starts_with(DRAFT) {
                let _ = fs::remove_dir_all(entry.path());
            } else if name.to_string_lossy().starts_with(PASSWORD_DRAFT) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Stores a new password, in case the server must be reached over loopback.
    fn make_password(&self, for_initdb: &Path, account: &OsUser) -> io::Result<()> {
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

    /// Writes the settings that the server reads at its start.
    pub fn write_settings(&self, endpoint: &Endpoint) -> Result<()> {
        let file = self.data().join(SETTINGS_FILE);
        let text = format!("# Written by twinlab at every start.\n{}{SETTINGS}", endpoint.settings());
        // Always a new file: root must not follow a link that the server's user may have put there. It is renamed when
        // complete, because a server that a killed twinlab has started may be reading it.
        let draft = file.with_extension(Uuid::new_v4().simple().to_string());
        let written = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&draft);
        written
            .and_then(|mut written| written.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&draft, &file))
            .inspect_err(|_| drop(fs::remove_file(&draft)))
            .map_err(|reason| Error::internal(format!("cannot write {}: {reason}", file.display())))
    }

    /// Creates an empty log. The log of the last start is kept as `.log.1`.
    pub fn start_log(&self, account: &OsUser) -> Result<PathBuf> {
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

/// Creates a directory for the user below [`SYSTEM_HOME`], which root owns.
fn new_system_home(account: &OsUser) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o755).create(SYSTEM_HOME)?;
    let directory = Path::new(SYSTEM_HOME).join(Uuid::new_v4().to_string());
    DirBuilder::new().mode(0o700).create(&directory)?;
    account.give(&directory)?;
    Ok(directory)
}

/// Port number that is a part of the socket's name. No server listens on this port.
const SOCKET_PORT: u16 = 5432;
/// Longest path of a socket that the kernel accepts, without the closing zero.
const MAX_SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The address of the server: a socket that only its user and root may open, else loopback with a password.
#[derive(Debug, PartialEq, Eq)]
pub enum Endpoint {
    Socket { directory: PathBuf, port: u16 },
    Loopback { port: u16, password: String },
}

impl Endpoint {
    /// Chooses a socket in the server's home if the path is short enough, else in a private temporary directory, else
    /// loopback.
    pub fn choose(home: &Home, account: &OsUser) -> Result<Self> {
        if fits(&home.path) {
            return Ok(Self::Socket { directory: home.path.clone(), port: SOCKET_PORT });
        }
        let scratch = scratch(&home.path);
        if fits(&scratch) && make_private(&scratch, account).is_ok() && account.reaches(&scratch) {
            return Ok(Self::Socket { directory: scratch, port: SOCKET_PORT });
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|reason| Error::internal(format!("no free port on 127.0.0.1: {reason}")))?.port();
        Ok(Self::Loopback { port, password: home.password()? })
    }

    /// Reads the address from the lock file of a running server.
    pub fn from_lock_file(server: &LockFile, home: &Home) -> Result<Self> {
        let port = server.port.ok_or_else(|| Error::internal("the lock file names no port"))?;
        if server.socket_dir.is_empty() {
            return Ok(Self::Loopback { port, password: home.password()? });
        }
        Ok(Self::Socket { directory: PathBuf::from(&server.socket_dir), port })
    }

    pub fn url(&self, database: &str) -> String {
        match self {
            Self::Socket { directory, port } => {
                let host = percent_encoded(directory);
                format!("postgres:///{database}?user={NAME}&host={host}&port={port}")
            }
            Self::Loopback { port, password } => {
                format!("postgres://{NAME}:{password}@{}:{port}/{database}", Ipv4Addr::LOCALHOST)
            }
        }
    }

    /// The lines of `postgresql.conf` for this address.
    pub fn settings(&self) -> String {
        match self {
            Self::Socket { directory, port } => format!(
                "listen_addresses = ''\nport = {port}\nunix_socket_directories = {}\nunix_socket_permissions = 0700\n",
                // The value is a list in which double quotes enclose a name.
                quoted(&format!("\"{}\"", directory.to_string_lossy().replace('"', "\"\"")))
            ),
            Self::Loopback { port, .. } => {
                format!("listen_addresses = '{}'\nport = {port}\nunix_socket_directories = ''\n", Ipv4Addr::LOCALHOST)
            }
        }
    }

    /// Path of the socket's lock file.
    pub fn lock_file(&self) -> Option<PathBuf> {
        match self {
            Self::Socket { directory, port } => Some(directory.join(format!(".s.PGSQL.{port}.lock"))),
            Self::Loopback { .. } => None,
        }
    }

    /// The socket's temporary directory, if it is not in the server's home.
    pub fn scratch(&self, home: &Home) -> Option<PathBuf> {
        match self {
            Self::Socket { directory, .. } if directory != &home.path => Some(directory.clone()),
            _ => None,
        }
    }
}

fn fits(directory: &Path) -> bool {
    let socket = directory.join(format!(".s.PGSQL.{SOCKET_PORT}"));
    socket.to_str().is_some_and(|path| path.len() <= MAX_SOCKET_PATH_BYTES)
}

/// A temporary directory with the same name at every start, so that a killed twinlab leaves at most one.
fn scratch(home: &Path) -> PathBuf {
    let hash = Sha256::digest(home.as_os_str().as_bytes());
    env::temp_dir().join(format!("{NAME}-{}", hex(&hash[..6])))
}

/// Everybody may create files in the temporary directory, so an existing one must be private to the user.
fn make_private(directory: &Path, account: &OsUser) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => account.give(directory),
        Err(reason) if reason.kind() == io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(directory)?;
            let private = found.is_dir() && account.owns(directory) && found.mode() & 0o077 == 0;
            if private { Ok(()) } else { Err(reason) }
        }
        Err(reason) => Err(reason),
    }
}

/// Quotes a string of `postgresql.conf`.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

fn percent_encoded(path: &Path) -> String {
    let encode = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => char::from(*byte).to_string(),
        other => format!("%{other:02X}"),
    };
    path.as_os_str().as_bytes().iter().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_only_put_where_its_path_fits_into_the_kernels_field() {
        let longest = "/".to_owned() + &"d".repeat(MAX_SOCKET_PATH_BYTES - "/.s.PGSQL.5432".len() - 1);
        assert!(fits(Path::new(&longest)));
        assert!(!fits(Path::new(&(longest + "d"))));
    }

    #[test]
    fn a_directory_with_odd_characters_survives_the_url_and_the_configuration() {
        let socket = Endpoint::Socket { directory: PathBuf::from("/tmp/a b+c'd\"é"), port: 5432 };
        assert_eq!(socket.url("x"), "postgres:///x?user=twinlab&host=/tmp/a%20b%2Bc%27d%22%C3%A9&port=5432");
        assert!(
            socket.settings().contains("unix_socket_directories = '\"/tmp/a b+c''d\"\"é\"'"),
            "{}",
            socket.settings()
        );
    }
}
