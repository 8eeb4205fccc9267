//! Freezes a plan: its text, the survey and the design as canonical JSON, with their hash and the time.

use chrono::{DateTime, SubsecRound, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use survey::canonical::canonical;
use survey::hex::hex;
use survey::question::{Invalid, Question};
use utoipa::ToSchema;

use super::deviations::NewDeviation;
use super::differences::{self, PlanDifference, StartedRuns};
use super::document::PlanDocument;
use super::twins::{self, FrozenTwins};
use super::{PlanRefusal, StudyPlan, answers, insert, lock, of_study, save, started_runs};
use crate::models::json::unreadable;
use crate::models::run::Snapshot;
use crate::models::simulations::start;
use crate::schema::{frozen_plans, simulations, study_plans, study_runs};

/// Version of the frozen JSON's format. A program reads its own and older ones.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = frozen_plans, check_for_backend(diesel::pg::Pg))]
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

/// Returns the frozen plan. `None`: it is a draft.
pub async fn of_plan(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<Option<FrozenPlan>> {
    frozen_plans::table.find(plan_id).select(FrozenPlan::as_select()).first(conn).await.optional()
}

/// Freezes a draft with the survey as it is now, or as the plan's study asked it.
pub async fn freeze(conn: &mut AsyncPgConnection, id: i64, who: i64) -> Result<(), PlanRefusal> {
    conn.transaction(async |conn| {
        let (plan, is_frozen) = lock(conn, id).await?;
        if is_frozen { Err(PlanRefusal::Frozen) } else { store(conn, &plan, who).await }
    })
    .await
}

/// Freezes the plan of a study: its draft, changed to `document` if given; without a draft a new plan with the
/// document.
pub async fn freeze_study(
    conn: &mut AsyncPgConnection,
    (study_id, survey_id): (i64, i64),
    who: i64,
    document: Option<&PlanDocument>,
) -> Result<StudyPlan, PlanRefusal> {
    conn.transaction(async |conn| {
        let id = match (of_study(conn, study_id).await?, document) {
            (Some(plan), None) => plan.id,
            (Some(plan), Some(document)) => {
                save(conn, plan.id, document, None).await?;
                plan.id
            }
            (None, None) => return Err(Invalid::new("title", "is required: the study has no draft").into()),
            (None, Some(document)) if document.blind => return Err(PlanRefusal::SeenAlready),
            (None, Some(document)) => {
                document.check()?;
                insert(conn, survey_id, Some(study_id), who, document).await?.id
            }
        };
        let (plan, is_frozen) = lock(conn, id).await?;
        if is_frozen {
            return Err(PlanRefusal::Frozen);
        }
        store(conn, &plan, who).await?;
        Ok(plan)
    })
    .await
}

/// Stores a locked draft as frozen, and the deviations that exist already.
async fn store(conn: &mut AsyncPgConnection, plan: &StudyPlan, who: i64) -> Result<(), PlanRefusal> {
    let document = plan.document().map_err(unreadable)?;
    let asked = match plan.study_id {
        Some(study) => asked_survey(conn, study).await?,
        None => None,
    };
    let (survey, survey_hash) = match asked {
        Some(asked) => asked,
        None => start::current_survey(conn, plan.survey_id).await?.ok_or(PlanRefusal::NotFound)?,
    };
    if !survey.questions.iter().any(Question::is_request) {
        return Err(PlanRefusal::NoQuestions);
    }
    document.check_complete(&survey.questions)?;
    let answers = match plan.study_id {
        Some(study) => answers(conn, study).await?,
        None => 0,
    };
    let seen = answers > 0 && (!plan.blind || plan.looked_at.is_some());
    let earlier_runs = earlier_runs(conn, plan).await?;
    let content = PlanContent {
        format: FORMAT,
        program: format!("Digital Twin Lab {}", env!("CARGO_PKG_VERSION")),
        frozen_at: Utc::now().trunc_subsecs(0),
        plan: document,
        data_before: DataBefore { earlier_runs, answers, seen },
        twins: FrozenTwins::load(conn, plan.study_id).await?,
        survey,
        survey_hash,
    };
    let unwritable = |error| diesel::result::Error::SerializationError(Box::new(error));
    let frozen = content.freeze().map_err(unwritable)?;
    diesel::insert_into(frozen_plans::table)
        .values((
            frozen_plans::plan_id.eq(plan.id),
            frozen_plans::frozen_by.eq(who),
            frozen_plans::frozen_at.eq(frozen.frozen_at),
            frozen_plans::canonical.eq(&frozen.canonical),
            frozen_plans::sha256.eq(&frozen.sha256),
        ))
        .execute(conn)
        .await?;
    let Some(study) = plan.study_id else { return Ok(()) };
    let mut found = Vec::new();
    if answers > 0 && !plan.blind {
        let seen = format!("{answers} answers could be seen before the freeze");
        found.push(PlanDifference::new("data", None, Some(seen)));
    }
    let (parameters, persona_count) = started_runs(conn, study).await?;
    let started = StartedRuns { persona_count, parameters: &parameters };
    found.extend(differences::of_runs(&content.plan.run, &started));
    found.extend(twins::differences(conn, &content.plan.run, None, study).await?);
    for difference in found {
        NewDeviation::new(plan.id, Some(who), difference).note(conn).await?;
    }
    Ok(())
}

/// Returns the survey as a study asked it, with its hash.
async fn asked_survey(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<Option<(Snapshot, String)>> {
    let first: Option<(serde_json::Value, String)> = simulations::table
        .inner_join(study_runs::table)
        .filter(study_runs::study_id.eq(study_id))
        .order(simulations::id)
        .select((simulations::survey_snapshot, simulations::survey_hash))
        .first(conn)
        .await
        .optional()?;
    let read = |(survey, hash)| serde_json::from_value(survey).map(|survey| (survey, hash));
    first.map(read).transpose().map_err(unreadable)
}

/// Counts the survey's runs with answers that do not belong to the plan's study.
async fn earlier_runs(conn: &mut AsyncPgConnection, plan: &StudyPlan) -> QueryResult<i64> {
    let own = study_runs::table
        .inner_join(study_plans::table.on(study_plans::study_id.eq(study_runs::study_id.nullable())))
        .filter(study_plans::id.eq(plan.id));
    simulations::table
        .filter(simulations::survey_id.eq(plan.survey_id))
        .filter(simulations::successful_requests.gt(0))
        .filter(simulations::id.ne_all(own.select(study_runs::simulation_id)))
        .count()
        .get_result(conn)
        .await
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
