//! Why a file was not built.

use rust_xlsxwriter::XlsxError;

use crate::error::Error;

/// Why a file was not built.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileFailure {
    /// The content is more than the format holds.
    #[error("{0}")]
    TooLarge(String),
    #[error("given up before its end")]
    GivenUp,
    /// The stored files do not make a bundle.
    #[error("{0}")]
    Bundle(String),
    #[error(transparent)]
    Workbook(#[from] XlsxError),
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Export(#[from] export::Error),
}

impl FileFailure {
    /// The error for a caller: bad input where the format does not hold so much, else what `internal` makes of it.
    pub(super) fn into_error(self, internal: impl FnOnce(Self) -> Error) -> Error {
        match self {
            Self::TooLarge(message) | Self::Export(export::Error::TooLarge(message)) => Error::bad_input(message),
            failure => internal(failure),
        }
    }
}
