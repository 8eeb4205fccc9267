//! The one error of the API, and its one shape: `{"statusCode": 409, "error": "Conflict", "message": "…", "code": "…"}`.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use diesel::result::{DatabaseErrorKind, Error as Diesel};
use serde::Serialize;
use utoipa::ToSchema;

use super::rate_limit::RateLimit;
use super::request_id;
use crate::auth::rules::AccessRefusal;
use crate::error::ErrorKind;
use crate::models::transactions::GrantError;
use crate::work::WorkError;

/// Seconds after which a caller may find the database back.
const RETRY_AFTER_S: &str = "5";

/// Why a call failed.
#[derive(Debug)]
pub enum ApiError {
    /// 400: malformed or against a rule; the message names the field.
    Invalid(String),
    /// 401: no token, or none that holds.
    SignedOut,
    /// 401: a sign-in code that does not open the account.
    WrongCode,
    /// 402: not enough credits.
    Unaffordable(String),
    /// 403: seen, but not the caller's to change.
    Forbidden(String),
    /// 404: does not exist, or is not the caller's to see.
    NotFound(String),
    /// 405: the path has only these methods, e.g. `GET, PUT`.
    WrongMethod(String),
    /// 409: not in this state.
    Conflict(String),
    /// 413.
    TooLarge(String),
    /// 415.
    WrongMediaType(String),
    /// 429, with the requests that are allowed in a time, and the seconds to wait.
    TooMany { message: String, limit: u32, retry_after_s: u64 },
    /// An error with a code of its own.
    Coded(&'static str, Box<ApiError>),
    /// 503: the database is away or busy. The cause is logged; the same may work in a moment.
    Unavailable(String),
    /// 503: the call took too long, and what it was doing has ended or ends at once.
    TooSlow,
    /// 408: the body did not come.
    BodyTimeout,
    /// 500. The cause is logged; the caller gets the request's id to report.
    Internal(String),
}

pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// Body of every failed call.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Error, example = json!({"statusCode": 404, "error": "Not Found", "message": "Survey not found", "code": "not_found"}))]
pub struct ErrorBody {
    /// The status of the answer, again.
    pub status_code: u16,
    /// Its usual name.
    pub error: String,
    /// Message for a person; names the wrong field.
    pub message: String,
    /// Code for a program: it stays the same when the message changes.
    #[schema(example = "not_found")]
    pub code: &'static str,
}

impl ApiError {
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::Conflict(message.into())
    }

    pub fn not_found(kind: &str) -> Self {
        Self::NotFound(format!("{kind} not found"))
    }

    /// Gives the error a code of its own, by which callers can recognise it.
    pub fn with_code(self, code: &'static str) -> Self {
        Self::Coded(code, Box::new(self))
    }

    /// The code for programs. It never changes once released.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Coded(code, _) => code,
            Self::Invalid(_) => "invalid_request",
            Self::SignedOut => "not_signed_in",
            Self::WrongCode => "wrong_code",
            Self::Unaffordable(_) => "insufficient_credits",
            Self::Forbidden(_) => "forbidden",
            Self::NotFound(_) => "not_found",
            Self::WrongMethod(_) => "method_not_allowed",
            Self::Conflict(_) => "conflict",
            Self::TooLarge(_) => "too_large",
            Self::WrongMediaType(_) => "unsupported_media_type",
            Self::TooMany { .. } => "rate_limited",
            Self::Unavailable(_) => "database_unavailable",
            Self::TooSlow => "deadline_exceeded",
            Self::BodyTimeout => "body_timeout",
            Self::Internal(_) => "internal_error",
        }
    }

    /// Says which part of a larger request the error is about, as in `userId 7: Member not found`.
    pub fn of(self, what: &str) -> Self {
        let named = |message: String| format!("{what}: {message}");
        match self {
            Self::Invalid(message) => Self::Invalid(named(message)),
            Self::NotFound(message) => Self::NotFound(named(message)),
            Self::Conflict(message) => Self::Conflict(named(message)),
            Self::Coded(code, error) => Self::Coded(code, Box::new(error.of(what))),
            other => other,
        }
    }

    pub fn body(&self) -> ErrorBody {
        let status = self.status_code();
        ErrorBody {
            status_code: status.as_u16(),
            error: status.canonical_reason().unwrap_or("Error").to_owned(),
            message: self.to_string(),
            code: self.code(),
        }
    }

    pub fn internal(cause: impl fmt::Display) -> Self {
        Self::Internal(cause.to_string())
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(message)
            | Self::Unaffordable(message)
            | Self::Forbidden(message)
            | Self::NotFound(message)
            | Self::Conflict(message)
            | Self::TooLarge(message)
            | Self::WrongMediaType(message)
            | Self::TooMany { message, .. } => f.write_str(message),
            Self::Coded(_, error) => error.fmt(f),
            Self::WrongMethod(methods) => write!(f, "The call takes {methods}"),
            Self::Unavailable(_) => {
                f.write_str("The database cannot be reached or is busy. Try again in a few seconds.")
            }
            Self::TooSlow => f.write_str("This took too long and was given up. Try again in a few seconds."),
            Self::BodyTimeout => f.write_str("The body of the request did not arrive in time"),
            Self::SignedOut => f.write_str("Sign in first: the token is missing, expired or no longer valid"),
            Self::WrongCode => f.write_str("Invalid or expired verification code. Please try again."),
            Self::Internal(_) => {
                write!(
                    f,
                    "Something went wrong on our side. Please mention {} when you report it.",
                    request_id::current()
                )
            }
        }
    }
}

impl std::error::Error for ApiError {}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::SignedOut | Self::WrongCode => StatusCode::UNAUTHORIZED,
            Self::Unaffordable(_) => StatusCode::PAYMENT_REQUIRED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::WrongMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::WrongMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Coded(_, error) => error.status_code(),
            Self::Unavailable(_) | Self::TooSlow => StatusCode::SERVICE_UNAVAILABLE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let error = if let Self::Coded(_, error) = self { error } else { self };
        if let Self::Internal(cause) = error {
            tracing::error!(request_id = %request_id::current(), %cause, "internal error");
        }
        if let Self::Unavailable(cause) = error {
            tracing::warn!(request_id = %request_id::current(), %cause, "the database is away or busy");
        }
        let status = self.status_code();
        let mut answer = HttpResponse::build(status);
        if matches!(error, Self::Unavailable(_) | Self::TooSlow) {
            answer.insert_header((RETRY_AFTER, RETRY_AFTER_S));
        }
        if matches!(error, Self::BodyTimeout) {
            // What is still on its way would be taken for the next request.
            answer.force_close();
        }
        if let Self::TooMany { retry_after_s, limit, .. } = error {
            answer.insert_header((RETRY_AFTER, retry_after_s.to_string()));
            for header in (RateLimit { limit: *limit, remaining: 0, reset_s: *retry_after_s }).headers() {
                answer.insert_header(header);
            }
        }
        if let Self::WrongMethod(methods) = error {
            answer.insert_header((ALLOW, methods.as_str()));
        }
        answer.json(self.body())
    }
}

impl From<AccessRefusal> for ApiError {
    fn from(refusal: AccessRefusal) -> Self {
        match refusal {
            AccessRefusal::NotThere(kind) => Self::not_found(kind),
            AccessRefusal::Forbidden(message) => Self::Forbidden(message.to_owned()),
            AccessRefusal::Scope(_) => Self::Forbidden(refusal.to_string()).with_code("insufficient_scope"),
            AccessRefusal::GroupClosed => Self::conflict(refusal.to_string()).with_code("group_closed"),
            AccessRefusal::Database(error) => error.into(),
        }
    }
}

impl From<GrantError> for ApiError {
    fn from(error: GrantError) -> Self {
        match error {
            GrantError::Amount => Self::invalid(sentence(&error)),
            GrantError::NotAMember => Self::not_found("Member"),
            GrantError::BelowHeld { .. } => Self::conflict(sentence(&error)).with_code("budget_below_held"),
            GrantError::TooMuch => Self::conflict(sentence(&error)).with_code("budget_too_large"),
            GrantError::OverCeiling { .. } => Self::conflict(sentence(&error)).with_code("group_ceiling"),
            GrantError::OverOwnersCeiling { .. } => Self::conflict(sentence(&error)).with_code("owner_ceiling"),
            GrantError::Changed { .. } => Self::conflict(sentence(&error)).with_code("budget_changed"),
            GrantError::Database(error) => error.into(),
        }
    }
}

fn sentence(error: &GrantError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Constraints of the database that a caller can violate, by name.
const CONSTRAINTS: &[(&str, StatusCode, &str)] = &[
    ("users_name_not_blank", StatusCode::BAD_REQUEST, "Name cannot be empty, nor longer than 200 characters"),
    ("groups_name_not_blank", StatusCode::BAD_REQUEST, "Group name is required, with at most 200 characters"),
    ("groups_ceiling_not_negative", StatusCode::BAD_REQUEST, "creditCeiling must be at least 0"),
    ("users_ceiling_not_negative", StatusCode::BAD_REQUEST, "ownerCreditCeiling must be at least 0"),
    ("groups_status_known", StatusCode::BAD_REQUEST, "Status must be open or closed"),
    ("groups_default_budget_not_negative", StatusCode::BAD_REQUEST, "Default budget must be a number of at least 0"),
    ("group_members_budget_not_negative", StatusCode::BAD_REQUEST, "Budget must be a whole number of at least 0"),
    ("group_members_held_within_budget", StatusCode::CONFLICT, "Budget is held by running simulations"),
    ("access_tokens_name_not_blank", StatusCode::BAD_REQUEST, "name is required, with at most 100 characters"),
    ("surveys_title_not_blank", StatusCode::BAD_REQUEST, "Title is required, with at most 500 characters"),
    ("surveys_visibility_known", StatusCode::BAD_REQUEST, "Visibility must be PRIVATE or PUBLIC"),
    ("questions_text_not_blank", StatusCode::BAD_REQUEST, "Question text is required"),
    ("personas_pid_key", StatusCode::CONFLICT, "A persona with this pid is there already"),
    ("personas_has_text", StatusCode::BAD_REQUEST, "summary is required"),
    ("simulations_one_active", StatusCode::CONFLICT, "The survey has an active simulation"),
    ("transactions_reversed_once", StatusCode::CONFLICT, "The transaction is reversed already"),
];

impl From<Diesel> for ApiError {
    /// A violated constraint is the caller's mistake if it is in [`CONSTRAINTS`], and a 500 otherwise.
    fn from(error: Diesel) -> Self {
        match &error {
            Diesel::NotFound => return Self::NotFound("Not found".to_owned()),
            Diesel::DatabaseError(_, details)
                if details.message().starts_with("invalid byte sequence for encoding")
                    || details.message().starts_with("unsupported Unicode escape sequence") =>
            {
                return Self::invalid("Text must not hold the character U+0000");
            }
            Diesel::DatabaseError(DatabaseErrorKind::Unknown, details)
                if details.message().ends_with("out of range") =>
            {
                return Self::invalid("A number is out of range");
            }
            Diesel::DatabaseError(_, details) => {
                let broken = CONSTRAINTS.iter().find(|(name, ..)| details.constraint_name() == Some(name));
                if let Some((_, status, message)) = broken {
                    let message = (*message).to_owned();
                    return if *status == StatusCode::CONFLICT {
                        Self::Conflict(message)
                    } else {
                        Self::Invalid(message)
                    };
                }
            }
            _ => {}
        }
        if crate::error::may_pass(&error) {
            return Self::Unavailable(error.to_string());
        }
        Self::internal(format_args!("database: {error}"))
    }
}

impl From<crate::error::Error> for ApiError {
    fn from(error: crate::error::Error) -> Self {
        match error.kind {
            ErrorKind::Unavailable => Self::Unavailable(error.to_string()),
            ErrorKind::GivenUp => Self::TooSlow,
            ErrorKind::BadInput | ErrorKind::Internal => Self::internal(error),
        }
    }
}

impl From<simulation::error::Error> for ApiError {
    fn from(error: simulation::error::Error) -> Self {
        crate::error::Error::from(error).into()
    }
}

impl From<WorkError> for ApiError {
    fn from(error: WorkError) -> Self {
        crate::error::Error::from(error).into()
    }
}
