//! Plans of studies: written and frozen before answers are seen, and compared with what is done.

pub mod deviations;
pub mod drafts;
pub mod files;
pub mod freeze;
pub mod publication;
pub mod shared;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use simulation::plans::content::{DataBefore, FrozenPlan, PlanContent};
use simulation::plans::document::PlanDocument;
use simulation::plans::not_found::{KnownNames, NameNotFound};
use utoipa::ToSchema;
use uuid::Uuid;

use super::error::{ApiError, Result};
use crate::auth::rules::{self, Caller, Right};
use crate::models::personas;
use crate::models::questions::of_survey;
use crate::models::study_plans::{self, StudyPlan, deviations as noted, frozen as frozen_plans, links};
use crate::models::surveys::design;
use simulation::plans::deviation::Deviation;

/// The time and the hash of a freeze.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FrozenPlan)]
pub struct Freeze {
    frozen_at: DateTime<Utc>,
    /// SHA-256 of `plan.json`: the plan with the survey, its design and the time, as canonical JSON (RFC 8785).
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: String,
    data_before: DataBefore,
}

/// A deviation from a frozen plan, with the name of the person behind it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Deviation)]
pub struct NotedDeviation {
    #[serde(flatten)]
    deviation: Deviation,
    /// The name of the person; null if it is not known.
    #[schema(example = "Ada Lovelace")]
    who: Option<String>,
}

impl From<(Deviation, Option<String>)> for NotedDeviation {
    fn from((deviation, who): (Deviation, Option<String>)) -> Self {
        Self { deviation, who }
    }
}

/// A plan, for callers who see its survey.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StudyPlan)]
pub struct PlanView {
    #[serde(flatten)]
    plan: StudyPlan,
    /// The study that was started by it, or frozen with it; null until then.
    #[schema(example = json!(null))]
    study_id: Option<Uuid>,
    document: PlanDocument,
    /// The study's results are hidden until the plan is frozen.
    hidden: bool,
    /// Null: it is a draft.
    frozen: Option<Freeze>,
    /// The public page, without the address of the server; null: there is none, or the caller does not own the survey.
    #[schema(example = json!(null))]
    link: Option<String>,
    /// Whether the caller may change and freeze it.
    is_owner: bool,
    /// Deviations from the plan, oldest first.
    deviations: Vec<NotedDeviation>,
    /// Names in a draft that the survey does not have, or no longer has. Empty once it is frozen.
    #[schema(required = false)]
    not_found: Vec<NameNotFound>,
}

impl PlanView {
    async fn of(conn: &mut AsyncPgConnection, caller: &Caller, plan: StudyPlan) -> Result<Self> {
        Self::of_survey(conn, caller, plan, &mut None).await
    }

    /// One of several plans of a survey. `names` are read when the first plan needs them.
    async fn of_survey(
        conn: &mut AsyncPgConnection,
        caller: &Caller,
        plan: StudyPlan,
        names: &mut Option<KnownNames>,
    ) -> Result<Self> {
        let frozen = match frozen_plans::of_plan(conn, plan.id).await? {
            Some(frozen) => Some(Freeze::of(&frozen)?),
            None => None,
        };
        let is_owner = rules::survey(conn, caller, plan.survey_id, Right::Own).await.is_ok();
        let link = if is_owner { links::token(conn, plan.id).await?.map(|token| page_of(&token)) } else { None };
        let hidden = match plan.study_id {
            Some(study) => study_plans::hides_study(conn, study).await?,
            None => false,
        };
        let deviations = noted::list(conn, plan.id).await?;
        let document = plan.document().map_err(ApiError::internal)?;
        let not_found = if frozen.is_none() && document.has_names() {
            if names.is_none() {
                *names = Some(names_of(conn, plan.survey_id).await?);
            }
            names.as_ref().map(|names| document.not_found(names)).unwrap_or_default()
        } else {
            Vec::new()
        };
        Ok(Self {
            study_id: study_plans::study_of(conn, &plan).await?,
            document,
            hidden,
            frozen,
            link,
            is_owner,
            deviations: deviations.into_iter().map(NotedDeviation::from).collect(),
            not_found,
            plan,
        })
    }

    /// The plan as it is now.
    async fn again(conn: &mut AsyncPgConnection, caller: &Caller, plan_id: Uuid) -> Result<Self> {
        let plan = rules::plan(conn, caller, plan_id, Right::See).await?;
        Self::of(conn, caller, plan).await
    }
}

/// Names that a plan of the survey can use.
async fn names_of(conn: &mut AsyncPgConnection, survey_id: i64) -> Result<KnownNames> {
    let (questions, design) = (of_survey(conn, survey_id).await?, design::of_survey(conn, survey_id).await?);
    let attributes = match personas::current_set(conn).await? {
        Some(set) => personas::attribute_labels(conn, set.id).await?,
        None => Vec::new(),
    };
    Ok(KnownNames::collect(&questions, &design, attributes))
}

impl Freeze {
    fn of(frozen: &FrozenPlan) -> Result<Self> {
        let PlanContent { data_before, .. } = frozen.content().map_err(ApiError::internal)?;
        Ok(Self { frozen_at: frozen.frozen_at, sha256: frozen.sha256.clone(), data_before })
    }
}

/// The public page of a frozen plan.
fn page_of(token: &str) -> String {
    format!("/plans/{token}")
}

/// Summary of a study's plan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanOfStudy {
    plan_id: Uuid,
    #[schema(example = "Do drip fees seem fair?")]
    title: String,
    /// Null: it is a draft.
    frozen_at: Option<DateTime<Utc>>,
    /// SHA-256 of `plan.json`; null until it is frozen.
    sha256: Option<String>,
    /// The study's results are hidden until the plan is frozen.
    hidden: bool,
    #[schema(example = 2)]
    deviations: i64,
}

impl PlanOfStudy {
    /// `None`: the study has no plan.
    pub async fn find(conn: &mut AsyncPgConnection, study_id: i64) -> Result<Option<Self>> {
        let Some(plan) = study_plans::of_study(conn, study_id).await? else { return Ok(None) };
        let frozen = frozen_plans::of_plan(conn, plan.id).await?;
        Ok(Some(Self {
            title: plan.document().map_err(ApiError::internal)?.title,
            plan_id: plan.plan_id,
            frozen_at: frozen.as_ref().map(|frozen| frozen.frozen_at),
            sha256: frozen.map(|frozen| frozen.sha256),
            hidden: study_plans::hides_study(conn, study_id).await?,
            deviations: noted::count(conn, plan.id).await?,
        }))
    }
}
