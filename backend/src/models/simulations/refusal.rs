//! Refusals of starts and changes of runs.

use diesel::result::{DatabaseErrorKind, Error as DatabaseError};
use simulation::money::Money;
use simulation::parameters::MAX_RUNS;
use simulation::status::Status;

use crate::models::study_plans::PlanRefusal;

/// The reason why a run was not started or its state not changed. The message is shown to the user.
#[derive(Debug, thiserror::Error)]
pub enum SimulationRefusal {
    #[error("Simulation not found")]
    NotFound,
    #[error("Survey not found")]
    SurveyNotFound,
    #[error("Survey has no questions")]
    NoQuestions,
    #[error("Survey already has an active simulation")]
    AlreadyActive,
    #[error("Not an active member of the survey's group")]
    NotAMember,
    #[error("The group is closed: it takes no new surveys and starts no simulations")]
    GroupClosed,
    #[error("The member who started the simulation is suspended")]
    MemberSuspended,
    #[error("Not enough credits: {needed} needed, {available} available")]
    NotEnoughCredits { needed: i64, available: i64 },
    #[error("The design cannot be run: {0}")]
    Design(String),
    #[error("arms: the survey has no arms, so no twin can be asked in all of them")]
    NoArms,
    #[error("A study has at most {} runs", MAX_RUNS)]
    TooManyRuns,
    #[error("No digital twins are available. Please contact the administrator.")]
    NoPersonas,
    #[error("personaCount must be between 1 and {total}")]
    PersonaCount { total: i64 },
    #[error("quotas[{place}]: {count} twins with {of} are requested, but the set has {there}")]
    Quota { place: usize, of: String, count: i32, there: usize },
    #[error("Persona id {id} does not exist: valid ids are 1 to {last}")]
    UnknownPersona { id: i32, last: i32 },
    #[error("Persona {id} was deleted")]
    DeletedPersona { id: i32 },
    #[error("Persona {id} has no {variant} text: import the twins with it, or choose another personaVariant")]
    NoText { id: i32, variant: &'static str },
    #[error("A simulation that is {status} cannot be {action}", status = .status.as_str())]
    WrongState { status: Status, action: &'static str },
    #[error("Simulation has no failed requests")]
    NothingFailed,
    #[error("Simulation has no open requests")]
    NothingOpen,
    #[error("The simulation has cost {cost} and may cost at most {cap}: raise maxCost first")]
    CostCap { cost: Money, cap: Money },
    #[error(transparent)]
    Plan(PlanRefusal),
    #[error("database: {0}")]
    Database(#[source] diesel::result::Error),
}

impl From<PlanRefusal> for SimulationRefusal {
    fn from(refusal: PlanRefusal) -> Self {
        match refusal {
            PlanRefusal::Database(error) => error.into(),
            refusal => Self::Plan(refusal),
        }
    }
}

impl From<DatabaseError> for SimulationRefusal {
    /// If two starts arrive at once, the unique index of active runs admits one.
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseError(DatabaseErrorKind::UniqueViolation, information)
                if information.constraint_name() == Some("simulations_one_active") =>
            {
                Self::AlreadyActive
            }
            error => Self::Database(error),
        }
    }
}

impl From<SimulationRefusal> for crate::error::Error {
    fn from(refusal: SimulationRefusal) -> Self {
        match refusal {
            SimulationRefusal::Database(error) => error.into(),
            refused => Self::bad_input(refused.to_string()),
        }
    }
}
