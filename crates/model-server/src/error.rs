//! Errors in no provider's form. Each wire has its own statuses, types and words for them.

use std::time::{Duration, SystemTime};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    Invalid,
    Unauthorized,
    /// The credit is used up.
    QuotaUsedUp,
    NotFound,
    ModelMissing,
    Conflict,
    TooLarge,
    TooManyRequests,
    Server,
    Overloaded,
}

/// The wait that an error asks for, and how it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Seconds(u64),
    /// A date instead of a number of seconds.
    Until(SystemTime, u64),
    /// The time until a limit is full again, instead of a wait.
    Reset(u64),
}

impl Wait {
    pub fn seconds(self) -> u64 {
        match self {
            Self::Seconds(seconds) | Self::Until(_, seconds) | Self::Reset(seconds) => seconds,
        }
    }

    pub fn duration(self) -> Duration {
        Duration::from_secs(self.seconds())
    }
}

#[derive(Debug)]
pub struct ApiError {
    pub kind: ErrorKind,
    pub message: String,
    pub param: Option<&'static str>,
    pub code: Option<&'static str>,
    pub wait: Option<Wait>,
}

impl ApiError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), param: None, code: None, wait: None }
    }

    pub fn invalid(message: impl Into<String>, param: Option<&'static str>) -> Self {
        Self { param, ..Self::new(ErrorKind::Invalid, message) }
    }

    /// The body cannot be read as JSON of the expected shape.
    pub fn unreadable(error: &serde_json::Error) -> Self {
        Self::invalid(format!("We could not parse the JSON body of your request: {error}"), None)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    pub fn too_large() -> Self {
        Self::new(ErrorKind::TooLarge, "The request body is too large.")
    }

    pub fn unauthorized() -> Self {
        Self::new(ErrorKind::Unauthorized, "Incorrect API key provided")
    }

    pub fn too_many_requests(message: impl Into<String>, wait: Wait) -> Self {
        Self { wait: Some(wait), ..Self::new(ErrorKind::TooManyRequests, message) }
    }

    pub fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }
}
