//! Refusals of the models as errors of the API.

use survey::rename::RenameRefusal;

use super::error::ApiError;
use crate::models::study_plans::PlanRefusal;
use crate::models::{simulations, surveys};

impl From<simulations::SimulationRefusal> for ApiError {
    fn from(refusal: simulations::SimulationRefusal) -> Self {
        use simulations::SimulationRefusal;

        let message = refusal.to_string();
        let conflict = |code| Self::Conflict(message.clone()).with_code(code);
        match refusal {
            SimulationRefusal::NoQuestions => conflict("survey_without_questions"),
            SimulationRefusal::Design(_) => Self::Invalid(message).with_code("invalid_design"),
            SimulationRefusal::AlreadyActive => conflict("simulation_active"),
            SimulationRefusal::NoPersonas => conflict("no_personas"),
            SimulationRefusal::WrongState { .. } => conflict("wrong_state"),
            SimulationRefusal::NothingFailed => conflict("nothing_failed"),
            SimulationRefusal::NothingOpen => conflict("nothing_open"),
            SimulationRefusal::CostCap { .. } => conflict("cost_cap"),
            SimulationRefusal::GroupClosed => conflict("group_closed"),
            SimulationRefusal::MemberSuspended => conflict("member_suspended"),
            SimulationRefusal::NotFound | SimulationRefusal::SurveyNotFound => Self::NotFound(message),
            SimulationRefusal::NotAMember => Self::Forbidden(message).with_code("not_a_member"),
            SimulationRefusal::NotEnoughCredits { .. } => Self::Unaffordable(message),
            SimulationRefusal::NoArms => Self::Invalid(message).with_code("no_arms"),
            SimulationRefusal::TooManyRuns => Self::Invalid(message).with_code("too_many_runs"),
            SimulationRefusal::PersonaCount { .. }
            | SimulationRefusal::Quota { .. }
            | SimulationRefusal::UnknownPersona { .. } => Self::Invalid(message),
            SimulationRefusal::DeletedPersona { .. } | SimulationRefusal::NoText { .. } => Self::Invalid(message),
            SimulationRefusal::Plan(refusal) => refusal.into(),
            SimulationRefusal::Database(error) => error.into(),
        }
    }
}

impl From<PlanRefusal> for ApiError {
    fn from(refusal: PlanRefusal) -> Self {
        let message = refusal.to_string();
        let conflict = |code| Self::Conflict(message.clone()).with_code(code);
        match refusal {
            PlanRefusal::NotFound => Self::NotFound(message),
            PlanRefusal::Invalid(invalid) => invalid.into(),
            PlanRefusal::OtherSurvey | PlanRefusal::SeenAlready => Self::Invalid(message),
            PlanRefusal::Frozen => conflict("plan_frozen"),
            PlanRefusal::Changed => conflict("plan_changed"),
            PlanRefusal::NotFrozen => conflict("plan_not_frozen"),
            PlanRefusal::HasStudy => conflict("plan_has_study"),
            PlanRefusal::Started => conflict("plan_started"),
            PlanRefusal::TooMany => conflict("too_many_plans"),
            PlanRefusal::Hidden => conflict("results_hidden"),
            PlanRefusal::NotHidden => conflict("results_not_hidden"),
            PlanRefusal::HasReason => conflict("reason_given"),
            PlanRefusal::NoQuestions => conflict("survey_without_questions"),
            PlanRefusal::Database(error) => error.into(),
        }
    }
}

impl From<surveys::SurveyRefusal> for ApiError {
    fn from(refusal: surveys::SurveyRefusal) -> Self {
        use surveys::SurveyRefusal;

        let message = refusal.to_string();
        match refusal {
            SurveyRefusal::NotFound | SurveyRefusal::QuestionNotFound => Self::NotFound(message),
            SurveyRefusal::HasSimulations | SurveyRefusal::LockedByHand => {
                Self::Conflict(message).with_code("survey_locked")
            }
            SurveyRefusal::Active => Self::Conflict(message).with_code("simulation_active"),
            SurveyRefusal::Full => Self::Conflict(message).with_code("survey_full"),
            SurveyRefusal::NameTaken { .. } => Self::Conflict(message).with_code("question_name_taken"),
            SurveyRefusal::Rename(RenameRefusal::QuestionTaken { .. } | RenameRefusal::Taken(_)) => {
                Self::Conflict(message).with_code("name_taken")
            }
            SurveyRefusal::Rename(_) => Self::Invalid(message),
            SurveyRefusal::DesignChanged => Self::Conflict(message).with_code("design_changed"),
            SurveyRefusal::QuestionChanged(_) => Self::Conflict(message).with_code("question_changed"),
            SurveyRefusal::Order => Self::Invalid(message),
            SurveyRefusal::Invalid(invalid) => invalid.into(),
            SurveyRefusal::Database(error) => error.into(),
        }
    }
}

impl From<survey::question::Invalid> for ApiError {
    fn from(invalid: survey::question::Invalid) -> Self {
        Self::Invalid(invalid.to_string())
    }
}
