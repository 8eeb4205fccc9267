//! Simulations: one run of one survey over a frozen list of twins.
//!
//! The row is the truth. [`start`] makes it, [`control`] moves it between the states that people ask for, the budget
//! actor's [`settlement`](crate::models::settlement) counts it towards its end, [`reconcile`] recounts it.

pub mod config;
pub mod control;
pub mod interviews;
pub mod overview;
pub mod progress;
pub mod reconcile;
pub mod start;

use chrono::{DateTime, Utc};
use diesel::deserialize::{FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::models::questions::Question;
use crate::schema::simulations;

/// Where a run is in its life; see `backend/README.md` for the ways between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, FromSqlRow)]
#[diesel(sql_type = Text)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = SimulationStatus)]
pub enum Status {
    Pending,
    Queued,
    Running,
    Paused,
    Stopped,
    Completed,
    Failed,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Queued => "QUEUED",
            Self::Running => "RUNNING",
            Self::Paused => "PAUSED",
            Self::Stopped => "STOPPED",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
        }
    }

    /// Over: nothing more is asked, nothing is held.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Stopped | Self::Completed | Self::Failed)
    }
}

impl std::str::FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Pending, Self::Queued, Self::Running, Self::Paused, Self::Stopped, Self::Completed, Self::Failed]
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| format!("unknown simulation status {text}"))
    }
}

impl FromSql<Text, Pg> for Status {
    fn from_sql(bytes: PgValue<'_>) -> diesel::deserialize::Result<Self> {
        Ok(std::str::from_utf8(bytes.as_bytes())?.parse()?)
    }
}

impl TryFrom<String> for Status {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Which text of the twin the model reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PersonaVariant {
    #[default]
    Summary,
    Full,
}

/// The effective parameters of a run, frozen at its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SimulationParameters)]
pub struct Parameters {
    #[schema(example = "gpt-4.1-mini")]
    pub model: String,
    /// `None`: the server's default.
    #[schema(example = 0.7)]
    pub temperature: Option<f64>,
    /// Fixes the choice of twins and the order of options: the same seed gives the same prompts, byte for byte.
    #[schema(example = 42)]
    pub seed: i64,
    #[schema(example = 20)]
    pub questions_per_call: u16,
    pub persona_variant: PersonaVariant,
    pub shuffle_options: bool,
}

/// The survey as it was when the run started: what prompts and downloads are made from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    pub title: String,
    pub description: String,
    pub questions: Vec<Question>,
}

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = simulations, check_for_backend(Pg))]
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
    /// Parameters that the model server refused by name: calls of this run went out without them.
    pub left_out: Vec<String>,
}

impl Simulation {
    pub fn parameters(&self) -> serde_json::Result<Parameters> {
        Parameters::deserialize(&self.parameters)
    }

    pub fn snapshot(&self) -> serde_json::Result<Snapshot> {
        Snapshot::deserialize(&self.survey_snapshot)
    }
}

/// Why a run was not started or moved. The message is for the person who asked.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
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
    #[error("Not enough credits: {needed} needed, {available} available")]
    NotEnoughCredits { needed: i64, available: i64 },
    #[error("No digital twins are available. Please contact the administrator.")]
    NoPersonas,
    #[error("personaCount must be between 1 and {total}")]
    PersonaCount { total: i64 },
    #[error("Persona id {id} does not exist: valid ids are 1 to {total}")]
    UnknownPersona { id: i32, total: i64 },
    #[error("Persona {id} has no {variant} text: import the twins with it, or choose another personaVariant")]
    NoText { id: i32, variant: &'static str },
    #[error("A simulation that is {status} cannot be {action}", status = .status.as_str())]
    WrongState { status: Status, action: &'static str },
    #[error("Simulation has no failed requests")]
    NothingFailed,
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

impl From<Refusal> for crate::error::Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Database(error) => error.into(),
            refused => Self::bad_input(refused.to_string()),
        }
    }
}

pub async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<Simulation>> {
    simulations::table.find(id).select(Simulation::as_select()).first(conn).await.optional()
}

/// A run's status, for workers that may hold some of its interviews.
#[derive(Clone, Copy, Debug)]
pub struct RunStatus {
    pub id: i64,
    pub status: Status,
    pub attempt: i32,
}

/// The active runs and these others, oldest first.
pub async fn statuses(conn: &mut AsyncPgConnection, others: &[i64]) -> QueryResult<Vec<RunStatus>> {
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
    let status =
        |(id, status, attempt): (i64, String, i32)| Some(RunStatus { id, status: status.parse().ok()?, attempt });
    Ok(rows.into_iter().filter_map(status).collect())
}

/// A queued run with an interview to claim is set going. Comes before the claim: the run is locked before the queue.
pub async fn mark_running(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<()> {
    diesel::sql_query(
        "UPDATE simulations SET status = 'RUNNING', started_at = coalesce(started_at, now()), updated_at = now()
         WHERE id = $1 AND status = 'QUEUED' AND EXISTS (SELECT FROM pgmq.q_interviews
             WHERE vt <= clock_timestamp() AND message @> jsonb_build_object('simulation', $1))",
    )
    .bind::<diesel::sql_types::BigInt, _>(id)
    .execute(conn)
    .await?;
    Ok(())
}

/// The run's row, locked until the transaction ends. Not against foreign keys that look at it, as no lock here is: those
/// checks come in whatever order the database likes, and would make a deadlock of ours.
pub(crate) async fn lock(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, Refusal> {
    simulations::table
        .find(id)
        .select(Simulation::as_select())
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?
        .ok_or(Refusal::NotFound)
}
