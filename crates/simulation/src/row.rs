//! The row of a run.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::json::is_default;
use crate::money::{Money, Price, Tokens};
use crate::parameters::{DEFAULT_SERVER, Parameters};
use crate::snapshot::Snapshot;
use crate::status::Status;

/// The row of a run. With the feature `diesel` it is read from a row whose columns have the order of the fields.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    pub id: i64,
    pub simulation_id: Uuid,
    pub survey_id: i64,
    pub user_id: i64,
    pub group_id: i64,
    pub persona_set_id: i32,
    #[cfg_attr(feature = "diesel", diesel(deserialize_as = String))]
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
    /// The part of `completion_tokens` that the model spent on reasoning.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reasoning_tokens: i64,
    /// The part of `prompt_tokens` that the server wrote to its cache.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_write_tokens: i64,
    /// Name of the model server. `None`: the one of the short form.
    #[serde(default, skip_serializing_if = "is_default")]
    pub model_server: Option<String>,
}

impl Simulation {
    pub fn parameters(&self) -> serde_json::Result<Parameters> {
        Parameters::deserialize(&self.parameters)
    }

    /// Name of its model server.
    pub fn server(&self) -> &str {
        self.model_server.as_deref().unwrap_or(DEFAULT_SERVER)
    }

    pub fn tokens(&self) -> Tokens {
        Tokens {
            prompt: self.prompt_tokens,
            cached: self.cached_tokens,
            cache_write: self.cache_write_tokens,
            completion: self.completion_tokens,
            reasoning: self.reasoning_tokens,
        }
    }

    /// Whether the model server counted reasoning or cache writes. Only then do the run's tables have columns for them.
    pub fn counts_parts_of_tokens(&self) -> bool {
        self.reasoning_tokens > 0 || self.cache_write_tokens > 0
    }

    /// The tokens of its calls, for people.
    pub fn tokens_in_words(&self) -> String {
        self.tokens().in_words()
    }

    pub fn snapshot(&self) -> serde_json::Result<Snapshot> {
        Snapshot::deserialize(&self.survey_snapshot)
    }

    /// The price. `None`: the run has none.
    pub fn price(&self) -> Option<Price> {
        price_of(&self.parameters)
    }

    /// The cost so far. `None`: the run has no price.
    pub fn cost(&self) -> Option<Money> {
        let price = self.price()?;
        Some(price.money(price.cost(self.tokens())))
    }

    /// Money that the server's cache has saved so far. `None`: the run has no price.
    pub fn saved_by_cache(&self) -> Option<Money> {
        let price = self.price()?;
        Some(price.money(price.saved_by_cache(self.tokens())))
    }
}

/// Reads the price from a run's parameters.
pub fn price_of(parameters: &serde_json::Value) -> Option<Price> {
    Price::deserialize(parameters.get("price")?).ok()
}
