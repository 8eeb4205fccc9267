//! Refusals of the models as errors of the API.

use super::error::ApiError;
use crate::models::{simulations, surveys};

impl From<simulations::Refusal> for ApiError {
    fn from(refusal: simulations::Refusal) -> Self {
        use simulations::Refusal;

        let message = refusal.to_string();
        let conflict = |code| Self::Conflict(message.clone()).with_code(code);
        match refusal {
            Refusal::NoQuestions => conflict("survey_without_questions"),
            Refusal::Design(_) => Self::Invalid(message).with_code("invalid_design"),
            Refusal::AlreadyActive => conflict("simulation_active"),
            Refusal::NoPersonas => conflict("no_personas"),
            Refusal::WrongState { .. } => conflict("wrong_state"),
            Refusal::NothingFailed => conflict("nothing_failed"),
            Refusal::NothingOpen => conflict("nothing_open"),
            Refusal::CostCap { .. } => conflict("cost_cap"),
            Refusal::GroupClosed => conflict("group_closed"),
            Refusal::MemberSuspended => conflict("member_suspended"),
            Refusal::NotFound | Refusal::SurveyNotFound => Self::NotFound(message),
            Refusal::NotAMember => Self::Forbidden(message).with_code("not_a_member"),
            Refusal::NotEnoughCredits { .. } => Self::Unaffordable(message),
            Refusal::PersonaCount { .. } | Refusal::UnknownPersona { .. } => Self::Invalid(message),
            Refusal::DeletedPersona { .. } | Refusal::NoText { .. } => Self::Invalid(message),
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
            Refusal::HasSimulations | Refusal::LockedByHand => Self::Conflict(message).with_code("survey_locked"),
            Refusal::Active => Self::Conflict(message).with_code("simulation_active"),
            Refusal::Full => Self::Conflict(message).with_code("survey_full"),
            Refusal::NameTaken { .. } => Self::Conflict(message).with_code("question_name_taken"),
            Refusal::DesignChanged => Self::Conflict(message).with_code("design_changed"),
            Refusal::QuestionChanged(_) => Self::Conflict(message).with_code("question_changed"),
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
