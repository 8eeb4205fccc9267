//! The row of a run.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::refusal::SimulationRefusal;
use crate::models::run::{Parameters, Snapshot, Status};
use crate::money::Tokens;
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
