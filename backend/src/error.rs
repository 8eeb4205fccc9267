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
        if may_pass(&error) { Self::unavailable(message) } else { Self::internal(message) }
    }
}

impl From<simulation::error::Error> for Error {
    fn from(error: simulation::error::Error) -> Self {
        match error {
            simulation::error::Error::BadInput(message) => Self::bad_input(message),
            simulation::error::Error::Internal(message) => Self::internal(message),
        }
    }
}

impl From<export::Error> for Error {
    fn from(error: export::Error) -> Self {
        simulation::error::Error::from(error).into()
    }
}

/// Substrings of the server's English messages for errors that diesel reports as `Unknown`, without their SQLSTATE.
const PASSING_MESSAGES: [&str; 4] = [
    // 55P03 lock_not_available
    "canceling statement due to lock timeout",
    // 57014 query_canceled
    "canceling statement due to statement timeout",
    // 57P01 admin_shutdown, 57P02 crash_shutdown, 25P03 idle_in_transaction_session_timeout
    "terminating connection",
    // 53100 disk_full
    "No space left on device",
];

/// Whether the error is temporary: the database is away, too slow, or busy with somebody else's lock.
pub fn may_pass(error: &diesel::result::Error) -> bool {
    use diesel::result::DatabaseErrorKind::{
        ClosedConnection, ReadOnlyTransaction, SerializationFailure, UnableToSendCommand, Unknown,
    };
    use diesel::result::Error::{BrokenTransactionManager, DatabaseError};
    match error {
        DatabaseError(ClosedConnection | ReadOnlyTransaction | SerializationFailure | UnableToSendCommand, _) => true,
        DatabaseError(Unknown, details) => PASSING_MESSAGES.iter().any(|message| details.message().contains(message)),
        BrokenTransactionManager => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use diesel::result::DatabaseErrorKind::{self, *};
    use diesel::result::Error::{self, DatabaseError};

    use super::may_pass;

    fn error(kind: DatabaseErrorKind, message: &str) -> Error {
        DatabaseError(kind, Box::new(message.to_owned()))
    }

    #[test]
    fn a_lost_connection_a_standby_and_a_conflict_may_pass_in_any_language() {
        for kind in [ClosedConnection, UnableToSendCommand, ReadOnlyTransaction, SerializationFailure] {
            assert!(may_pass(&error(kind, "Verbindung wird abgebrochen")));
        }
        assert!(may_pass(&Error::BrokenTransactionManager));
    }

    #[test]
    fn what_the_database_refuses_does_not_pass_whatever_its_message_quotes() {
        for kind in [UniqueViolation, CheckViolation, ForeignKeyViolation, NotNullViolation] {
            assert!(!may_pass(&error(kind, "the value \"terminating connection\" is refused")));
        }
        assert!(!may_pass(&error(Unknown, "relation \"surveys\" does not exist")));
        assert!(may_pass(&error(Unknown, "terminating connection due to administrator command")));
        assert!(!may_pass(&Error::NotFound));
    }
}
