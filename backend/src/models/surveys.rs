//! Surveys: what researchers ask, and what a run keeps of it.

use serde::{Deserialize, Serialize};

use crate::models::questions::Question;

/// A survey as a run froze it (`simulations.survey_snapshot`): later edits of the survey do not reach it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    pub title: String,
    #[serde(default)]
    pub description: String,
    /// In the order asked.
    pub questions: Vec<Question>,
}
