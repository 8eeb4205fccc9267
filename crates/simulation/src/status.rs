//! State of a run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// State of a run; `ARCHITECTURE.md` shows the transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Text))]
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

    /// Whether the run has ended, with no open requests and no held credits.
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

impl TryFrom<String> for Status {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
