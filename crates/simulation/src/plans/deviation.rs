//! A deviation from a frozen plan.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Something that was done otherwise than planned. It stays; a reason can be added once.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[serde(rename_all = "camelCase")]
#[schema(as = DeviationRow)]
pub struct Deviation {
    #[schema(example = 3)]
    pub id: i64,
    pub at: DateTime<Utc>,
    /// `run: seed`, `question fair: text`, `data`, `analysis` or alike.
    #[schema(example = "run: personaCount")]
    pub field: String,
    /// Planned value; null if the field did not exist.
    #[schema(example = "200")]
    pub before: Option<String>,
    /// Actual value; null if the field does not exist.
    #[schema(example = "150")]
    pub after: Option<String>,
    #[schema(example = json!(null))]
    pub reason: Option<String>,
    pub reason_at: Option<DateTime<Utc>>,
}
