//! The row of a study.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A study. Its JSON is part of a bundle's record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[serde(rename_all = "camelCase")]
pub struct Study {
    #[serde(skip)]
    pub id: i64,
    pub study_id: Uuid,
    pub name: Option<String>,
    pub note: Option<String>,
    pub created_at: DateTime<Utc>,
}
