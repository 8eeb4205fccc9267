//! Values that must not be logged, and the session secret that is generated if none is given.

use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use uuid::Uuid;

use super::Config;
use crate::error::{Error, Result};

/// Shortest signing secret in bytes.
pub(super) const MIN_SECRET_BYTES: usize = 32;

/// A value that `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Generates 256 bits, 244 of them random.
    pub fn generate() -> Self {
        Self(format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()))
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Config {
    /// The secret that this process was given: `JWT_SECRET`, or the one in `DATA_DIR` with a private PostgreSQL. `None`: the
    /// database has it.
    pub fn given_secret(&self) -> Result<Option<Secret>> {
        match self.database_url {
            None => self.session_secret().map(Some),
            Some(_) => Ok(self.jwt_secret.clone()),
        }
    }

    /// Returns `JWT_SECRET`, else the secret in `DATA_DIR/jwt_secret`, which the first call generates.
    pub fn session_secret(&self) -> Result<Secret> {
        if let Some(given) = &self.jwt_secret {
            return Ok(given.clone());
        }
        let path = self.data_dir.join("jwt_secret");
        keep_first(&path, Secret::generate().expose())
            .map_err(|reason| Error::internal(format!("cannot keep a secret in {}: {reason}", path.display())))?;
        read(&path)
    }
}

fn read(path: &Path) -> Result<Secret> {
    let kept = fs::read_to_string(path)
        .map_err(|reason| Error::internal(format!("cannot read {}: {reason}", path.display())))?;
    if kept.trim().len() < MIN_SECRET_BYTES {
        return Err(Error::bad_input(format!(
            "{} is shorter than {MIN_SECRET_BYTES} bytes: delete it",
            path.display()
        )));
    }
    Ok(Secret::new(kept.trim()))
}

/// Creates the file atomically. An existing one stays, also if another process creates it at the same time.
fn keep_first(path: &Path, text: &str) -> std::io::Result<()> {
    if path.try_exists()? {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        super::create_data_dir(folder)?;
    }
    let draft = path.with_extension(Uuid::new_v4().simple().to_string());
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let linked =
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    match linked {
        Err(reason) if reason.kind() == ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}
