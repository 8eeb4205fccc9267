//! Refusals of changes of plans.

use survey::question::Invalid;

/// Upper limit of plans for each survey, drafts and frozen ones.
pub const MAX_PLANS: i64 = 100;

/// The reason why an operation on a plan was refused. The message is shown to the user.
#[derive(Debug, thiserror::Error)]
pub enum PlanRefusal {
    #[error("Plan not found")]
    NotFound,
    #[error("{0}")]
    Invalid(#[from] Invalid),
    #[error("The plan is frozen: it cannot be changed any more")]
    Frozen,
    #[error("The plan was changed meanwhile")]
    Changed,
    #[error("The plan is not frozen yet")]
    NotFrozen,
    #[error("The plan has its study already: make another plan for another study")]
    HasStudy,
    #[error("planId: the plan is of another survey")]
    OtherSurvey,
    #[error("A plan whose study was started cannot be deleted, and its blinding cannot be changed")]
    Started,
    #[error("The survey has {MAX_PLANS} plans: delete a draft first")]
    TooMany,
    #[error("blind: the study has begun, and its results could be seen")]
    SeenAlready,
    #[error("The results are hidden until the plan of the study is frozen")]
    Hidden,
    #[error("The results are not hidden")]
    NotHidden,
    #[error("The deviation has its reason already: reasons are given once")]
    HasReason,
    #[error("Survey has no questions")]
    NoQuestions,
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

impl From<PlanRefusal> for crate::error::Error {
    fn from(refusal: PlanRefusal) -> Self {
        match refusal {
            PlanRefusal::Database(error) => error.into(),
            refused => Self::bad_input(refused.to_string()),
        }
    }
}
