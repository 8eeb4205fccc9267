//! Errors of the command line and of the start: a kind, which decides the exit code, and one line of text.

use std::fmt;

/// Kind of an error, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller's input is unusable. Nothing was done.
    BadInput,
    /// The work was ended: its time is over, or its caller has gone.
    GivenUp,
    /// The database cannot be reached or is too busy: a retry may succeed.
    Unavailable,
    /// Any other error.
    Internal,
}

/// An error with a one-line message for people, which names what is wrong and where.
#[derive(Clone, Debug)]
pub struct Error {
    pub kind: ErrorKind,
    message: String,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::BadInput, message: message.into() }
    }

    pub fn given_up(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::GivenUp, message: message.into() }
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unavailable, message: message.into() }
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Internal, message: message.into() }
    }

    pub fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::BadInput => 2,
            ErrorKind::GivenUp | ErrorKind::Unavailable | ErrorKind::Internal => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<diesel::result::Error> for Error {
    fn from(error: diesel::result::Error) -> Self {
        let message = format!("database: {error}");
        if crate::db::may_pass(&error) { Self::unavailable(message) } else { Self::internal(message) }
    }
}
