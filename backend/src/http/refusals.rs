//! Refusals of the models as errors of the API.

use super::error::ApiError;
use crate::models::{simulations, surveys};

impl From<simulations::Refusal> for ApiError {
    fn from(refusal: simulations::Refusal) -> Self {
        use simulations::Refusal;

        let message = refusal.to_string();
        match refusal {
            Refusal::NotFound | Refusal::SurveyNotFound => Self::NotFound(message),
            Refusal::NotAMember => Self::Forbidden(message),
            Refusal::NotEnoughCredits { .. } => Self::Unaffordable(message),
            Refusal::PersonaCount { .. } | Refusal::UnknownPersona { .. } | Refusal::NoText { .. } => {
                Self::Invalid(message)
            }
            Refusal::NoQuestions
            | Refusal::AlreadyActive
            | Refusal::NoPersonas
            | Refusal::WrongState { .. }
            | Refusal::NothingFailed => Self::Conflict(message),
            Refusal::Database(error) => error.into(),
        }
    }
}

impl From<surveys::Refusal> for ApiError {
    fn from(refusal: surveys::Refusal) -> Self {
        use surveys::Refusal;

        let message = refusal.to_string();
        match refusal {
            Refusal::NotFound | Refusal::QuestionNotFound => Self::NotFound(message),
            Refusal::HasSimulations | Refusal::LockedByHand | Refusal::Active | Refusal::Full => {
                Self::Conflict(message)
            }
            Refusal::Order => Self::Invalid(message),
            Refusal::Invalid(invalid) => invalid.into(),
            Refusal::Database(error) => error.into(),
        }
    }
}

impl From<crate::models::questions::Invalid> for ApiError {
    fn from(invalid: crate::models::questions::Invalid) -> Self {
        Self::Invalid(invalid.to_string())
    }
}
