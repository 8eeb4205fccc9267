//! State, survey and parameters of a run. It has no queries: the tables of runs build on it.

mod parameters;

use diesel::deserialize::{FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use survey::finding::Finding;
use survey::flow::Design;
use survey::item::Item;
use survey::plan::Plan;
use survey::question::Question;
use utoipa::ToSchema;

use crate::metrics;

pub use parameters::{Memory, Parameters, PersonaVariant, StudyCell};

/// Upper limit of runs in a study.
pub const MAX_RUNS: usize = 60;

/// State of a run; `ARCHITECTURE.md` shows the transitions.
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

/// The survey as it was when the run started. Prompts and downloads are made from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    pub title: String,
    pub description: String,
    /// Questions, with each turn of a loop as a question of its own.
    pub questions: Vec<Question>,
    /// `None`: a plain survey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<Design>,
}

impl Snapshot {
    /// Compiles the plan. `None`: a plain survey. Fails if another version of the program wrote a design that this one
    /// cannot run.
    pub fn plan(&self) -> Result<Option<Plan>, String> {
        let Some(design) = &self.design else { return Ok(None) };
        metrics::plan_compiled();
        let items: Vec<Item> = self.questions.iter().cloned().map(Item::from).collect();
        let first =
            |findings: Vec<Finding>| findings.into_iter().next().map_or_else(String::new, |found| found.message);
        Plan::of_run(design, &items).map(Some).map_err(first)
    }
}
