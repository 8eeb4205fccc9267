//! Simulations: a run of one survey over a frozen list of personas.
//!
//! The row is the source of truth. [`start`] creates it, [`control`] and [`passes`] change its state on request,
//! [`settlement`](crate::models::settlement) moves its counters until it ends, [`reconcile`] recounts it.

mod choice;
pub mod claims;
pub mod control;
pub mod costs;
mod deal;
mod interviews;
pub mod names;
pub mod overview;
pub mod passes;
pub mod plans;
pub mod preview;
pub(in crate::models) mod pricing;
pub mod progress;
pub mod reconcile;
pub mod start;
pub mod trials;

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error as DatabaseError};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::models::group_members::{self, HoldOutcome};
use crate::models::run::{MAX_RUNS, Parameters, Snapshot, Status};
use crate::models::study_plans::PlanRefusal;
use crate::money::{Money, Tokens};
use crate::schema::simulations;

#[derive(Clone, Debug, Queryable, Selectable, Serialize, Deserialize)]
#[diesel(table_name = simulations, check_for_backend(Pg))]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    pub id: i64,
    pub simulation_id: Uuid,
    pub survey_id: i64,
    pub user_id: i64,
    pub group_id: i64,
    pub persona_set_id: i32,
    #[diesel(deserialize_as = String)]
    pub status: Status,
    pub attempt: i32,
    pub persona_count: i32,
    pub question_count: i32,
    /// Requests in all, without those that were not shown.
    pub total_requests: i32,
    pub successful_requests: i32,
    pub failed_requests: i32,
    pub open_requests: i32,
    pub held: i64,
    pub parameters: serde_json::Value,
    pub survey_snapshot: serde_json::Value,
    pub survey_hash: String,
    pub demo_model: bool,
    pub program_version: String,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub calls: i64,
    pub prompt_tokens: i64,
    pub cached_tokens: i64,
    pub completion_tokens: i64,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
    pub updated_at: DateTime<Utc>,
    /// Parameters that the model server rejected and that this run's calls were sent without.
    pub left_out: Vec<String>,
    /// Whether this pass asks failed requests only, instead of all that are neither answered nor failed.
    pub retries_failed: bool,
}

/// A model, as the server named it in answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, QueryableByName)]
pub struct ServedBy {
    #[schema(example = "gpt-4.1-mini-2025-04-14")]
    #[diesel(sql_type = Text)]
    pub model: String,
    #[diesel(sql_type = Nullable<Text>)]
    #[schema(example = "fp_6f2eabb9a5")]
    pub fingerprint: Option<String>,
}

impl Simulation {
    pub fn parameters(&self) -> serde_json::Result<Parameters> {
        Parameters::deserialize(&self.parameters)
    }

    pub fn tokens(&self) -> Tokens {
        Tokens { prompt: self.prompt_tokens, cached: self.cached_tokens, completion: self.completion_tokens }
    }

    pub fn snapshot(&self) -> serde_json::Result<Snapshot> {
        Snapshot::deserialize(&self.survey_snapshot)
    }
}

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

/// Returns the models and fingerprints that the server named in a run's answers: the first ten by name.
pub async fn served_by(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<ServedBy>> {
    diesel::sql_query(
        "SELECT model, fingerprint FROM simulation_models WHERE simulation_id = $1 ORDER BY model, fingerprint LIMIT 10",
    )
    .bind::<BigInt, _>(id)
    .load(conn)
    .await
}

pub async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<Simulation>> {
    simulations::table.find(id).select(Simulation::as_select()).first(conn).await.optional()
}

/// Returns the runs with these ids, by id.
pub async fn find_all(conn: &mut AsyncPgConnection, ids: &[i64]) -> QueryResult<Vec<Simulation>> {
    let found = simulations::table.filter(simulations::id.eq_any(ids)).order(simulations::id);
    found.select(Simulation::as_select()).load(conn).await
}

/// State of a run, for the workers that may hold some of its interviews.
#[derive(Clone, Copy, Debug)]
pub struct RunStatus {
    pub id: i64,
    pub status: Status,
    pub attempt: i32,
}

/// Returns the queued and running simulations and those in `others`, oldest first.
pub async fn run_statuses(conn: &mut AsyncPgConnection, others: &[i64]) -> QueryResult<Vec<RunStatus>> {
    let rows: Vec<(i64, String, i32)> = simulations::table
        .filter(
            simulations::status
                .eq_any([Status::Queued.as_str(), Status::Running.as_str()])
                .or(simulations::id.eq_any(others)),
        )
        .order(simulations::id)
        .select((simulations::id, simulations::status, simulations::attempt))
        .load(conn)
        .await?;
    let run_status =
        |(id, status, attempt): (i64, String, i32)| Some(RunStatus { id, status: status.parse().ok()?, attempt });
    Ok(rows.into_iter().filter_map(run_status).collect())
}

/// Sets aside `needed` credits of the member for a run.
async fn hold(conn: &mut AsyncPgConnection, group_id: i64, user_id: i64, needed: i64) -> Result<(), SimulationRefusal> {
    match group_members::hold_credits(conn, group_id, user_id, needed).await? {
        HoldOutcome::Held => Ok(()),
        HoldOutcome::TooFew { available } => Err(SimulationRefusal::NotEnoughCredits { needed, available }),
        HoldOutcome::NotAMember => Err(SimulationRefusal::NotAMember),
        HoldOutcome::GroupClosed => Err(SimulationRefusal::GroupClosed),
    }
}

/// Returns the run's row, locked until the transaction ends. Uses FOR NO KEY UPDATE: foreign-key checks take KEY SHARE
/// in any order, and FOR UPDATE would deadlock with them.
pub(crate) async fn lock(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    simulations::table
        .find(id)
        .select(Simulation::as_select())
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?
        .ok_or(SimulationRefusal::NotFound)
}
