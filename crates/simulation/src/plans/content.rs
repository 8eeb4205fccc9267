//! Content of a frozen plan: its text and the survey as canonical JSON, with their hash.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use survey::canonical::canonical;
use survey::hex::hex;
use utoipa::ToSchema;

use crate::plans::document::PlanDocument;
use crate::snapshot::Snapshot;

/// A frozen plan as it is stored.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
pub struct FrozenPlan {
    pub frozen_at: DateTime<Utc>,
    /// [`PlanContent`] as canonical JSON.
    pub canonical: String,
    /// SHA-256 of `canonical`, as hex.
    pub sha256: String,
}

impl FrozenPlan {
    pub fn content(&self) -> serde_json::Result<PlanContent> {
        serde_json::from_str(&self.canonical)
    }
}

/// Content of a frozen plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanContent {
    pub format: u32,
    pub program: String,
    /// Time of the freeze, in whole seconds.
    pub frozen_at: DateTime<Utc>,
    pub plan: PlanDocument,
    pub data_before: DataBefore,
    /// `None`: there were no personas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twins: Option<FrozenTwins>,
    /// Survey with its design.
    pub survey: Snapshot,
    /// Hash of the survey, as its runs store it.
    pub survey_hash: String,
}

/// Answers that existed when the plan was frozen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataBefore {
    /// Runs of the same survey with answers that do not belong to the plan's study.
    #[schema(example = 0)]
    pub earlier_runs: i64,
    /// Answers of the plan's own study.
    #[schema(example = 0)]
    pub answers: i64,
    /// Whether somebody could see the study's answers.
    pub seen: bool,
}

impl PlanContent {
    pub fn freeze(&self) -> serde_json::Result<FrozenPlan> {
        let canonical = canonical(&serde_json::to_value(self)?);
        let sha256 = hex(&Sha256::digest(&canonical));
        Ok(FrozenPlan { frozen_at: self.frozen_at, canonical, sha256 })
    }
}

/// The set of personas at a freeze.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrozenTwins {
    /// Row id of the set. A set that a run has asked is never changed.
    pub set_id: i32,
    pub twins: i64,
}

impl FrozenTwins {
    pub fn in_words(&self) -> String {
        format!("set {} of {} twins", self.set_id, self.twins)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Expected hash from another program: Python's json with sorted keys and no spaces.
    #[test]
    fn a_plan_is_frozen_to_the_same_bytes_everywhere() {
        let plan = json!({ "title": "Fees – a plan", "hypotheses": ["fair \"or\" not"], "primaryItems": ["fair"],
            "contrasts": [{ "of": "fee_arm", "b": "two", "a": "one" }],
            "run": { "personaCount": 200, "seed": 42, "temperature": 0.70, "variants": ["summary", "empty"] },
            "choices": { "alpha": 5e-2 }, "blind": true });
        let survey = json!({ "title": "Fees", "description": "", "questions": [] });
        let content = PlanContent {
            format: 1,
            program: "Digital Twin Lab 0.1.0".into(),
            frozen_at: "2026-11-26T10:00:00Z".parse().expect("a time"),
            plan: serde_json::from_value(plan).expect("a plan"),
            data_before: DataBefore::default(),
            twins: None,
            survey: serde_json::from_value(survey).expect("a survey"),
            survey_hash: "00ff".into(),
        };
        let frozen = content.freeze().expect("JSON");
        assert!(
            frozen
                .canonical
                .starts_with("{\"dataBefore\":{\"answers\":0,\"earlierRuns\":0,\"seen\":false},\"format\":1,")
        );
        assert_eq!(frozen.sha256, "d46738b3481da30b4a785e69aaf50b1f2edce66de283ab872c68efbd9e0d3205");
        let read = frozen.content().expect("it is read again");
        assert_eq!(read.freeze().expect("JSON").sha256, frozen.sha256);
        assert_eq!(read.plan, content.plan);
    }
}
