//! Errors of reading and writing the records of a run.

/// An error with a one-line message for people, which names what is wrong and where.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The given records or files are unusable.
    #[error("{0}")]
    BadInput(String),
    /// Anything else, such as a file that could not be written.
    #[error("{0}")]
    Internal(String),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::BadInput(message.into())
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal(message.into())
    }
}

impl From<export::Error> for Error {
    fn from(error: export::Error) -> Self {
        match error {
            export::Error::TooLarge(message) | export::Error::Invalid(message) => Self::BadInput(message),
            error => Self::Internal(error.to_string()),
        }
    }
}
