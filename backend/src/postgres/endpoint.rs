//! How the server is reached: over a socket that only its user and root may open, else over loopback with a password.

use std::fs::{self, DirBuilder};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{env, io};

use sha2::{Digest, Sha256};

use super::NAME;
use super::account::Account;
use super::home::Home;
use super::lock_file::LockFile;
use crate::error::{Error, Result};

/// Only a part of the socket's name: nothing listens on this port.
const SOCKET_PORT: u16 = 5432;
/// Bytes of a socket's path that the kernel takes, the closing zero not counted.
const LONGEST_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

#[derive(Debug, PartialEq, Eq)]
pub enum Endpoint {
    Socket { directory: PathBuf, port: u16 },
    Loopback { port: u16, password: String },
}

impl Endpoint {
    /// Beside the data where the path is short enough, else in a private directory for temporary files, else loopback.
    pub fn choose(home: &Home, account: &Account) -> Result<Self> {
        if fits(home.path()) {
            return Ok(Self::Socket { directory: home.path().to_owned(), port: SOCKET_PORT });
        }
        let scratch = scratch(home.path());
        if fits(&scratch) && make_private(&scratch, account).is_ok() && account.reaches(&scratch) {
            return Ok(Self::Socket { directory: scratch, port: SOCKET_PORT });
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|reason| Error::internal(format!("no free port on 127.0.0.1: {reason}")))?.port();
        Ok(Self::Loopback { port, password: home.password()? })
    }

    /// Where a running server says that it listens.
    pub fn of(server: &LockFile, home: &Home) -> Result<Self> {
        let port = server.port.ok_or_else(|| Error::internal("the server tells no port"))?;
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

    /// The lines of the configuration that make the server listen there.
    pub fn settings(&self) -> String {
        match self {
            Self::Socket { directory, port } => format!(
                "listen_addresses = ''\nport = {port}\nunix_socket_directories = {}\nunix_socket_permissions = 0700\n",
                // The value is a list as well: within it, double quotes hold a name together.
                quoted(&format!("\"{}\"", directory.to_string_lossy().replace('"', "\"\"")))
            ),
            Self::Loopback { port, .. } => {
                format!("listen_addresses = '{}'\nport = {port}\nunix_socket_directories = ''\n", Ipv4Addr::LOCALHOST)
            }
        }
    }

    pub fn lock_file(&self) -> Option<PathBuf> {
        match self {
            Self::Socket { directory, port } => Some(directory.join(format!(".s.PGSQL.{port}.lock"))),
            Self::Loopback { .. } => None,
        }
    }

    /// The directory that was made for the socket alone.
    pub fn scratch(&self, home: &Home) -> Option<PathBuf> {
        match self {
            Self::Socket { directory, .. } if directory != home.path() => Some(directory.clone()),
            _ => None,
        }
    }
}

fn fits(directory: &Path) -> bool {
    let socket = directory.join(format!(".s.PGSQL.{SOCKET_PORT}"));
    socket.to_str().is_some_and(|path| path.len() <= LONGEST_PATH)
}

/// The same for every start on these data, so that a killed twinlab leaves at most one.
fn scratch(home: &Path) -> PathBuf {
    let hash = Sha256::digest(home.as_os_str().as_bytes());
    let name: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    env::temp_dir().join(format!("{NAME}-{name}"))
}

/// Anyone may make files in a directory for temporary ones: one that stands there already must be ours alone.
fn make_private(directory: &Path, account: &Account) -> io::Result<()> {
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

/// A string of `postgresql.conf`.
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
        let longest = "/".to_owned() + &"d".repeat(LONGEST_PATH - "/.s.PGSQL.5432".len() - 1);
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
