//! The public page of a frozen plan, for people without an account: it shows no names but those in the plan.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use simulation::plans::content::DataBefore;
use simulation::plans::deviation::Deviation;
use simulation::plans::document::PlanDocument;
use utoipa::ToSchema;

use super::files::{PlanFile, written};
use crate::app::App;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::shared::unlisted;
use crate::models::study_plans::deviations;
use crate::models::study_plans::frozen;
use crate::models::study_plans::{PlanRefusal, StudyPlan, links};

/// A frozen plan as its public page shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SharedPlan {
    document: PlanDocument,
    #[schema(example = "Fees")]
    survey_title: String,
    /// Questions that take an answer.
    #[schema(example = 12)]
    question_count: usize,
    frozen_at: DateTime<Utc>,
    /// SHA-256 of `plan.json`.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: String,
    data_before: DataBefore,
    /// The study was started.
    started: bool,
    /// Deviations from the plan so far, oldest first.
    deviations: Vec<SharedDeviation>,
}

/// A deviation from the plan, without the person behind it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SharedDeviation {
    at: DateTime<Utc>,
    #[schema(example = "run: personaCount")]
    field: String,
    #[schema(example = "200")]
    before: Option<String>,
    #[schema(example = "150")]
    after: Option<String>,
    #[schema(example = json!(null))]
    reason: Option<String>,
}

impl From<Deviation> for SharedDeviation {
    fn from(Deviation { at, field, before, after, reason, .. }: Deviation) -> Self {
        Self { at, field, before, after, reason }
    }
}

/// The plan that the address leads to. All faults of an address give the same error.
async fn linked(conn: &mut AsyncPgConnection, token: &str) -> Result<StudyPlan> {
    links::find(conn, token).await?.ok_or_else(|| {
        let message = "This plan was withdrawn, or never was here".to_owned();
        ApiError::NotFound(message).with_code("link_not_found")
    })
}

/// The public page of a frozen plan
#[utoipa::path(
    get, path = "", operation_id = "show_shared_plan",
    security(()),
    responses((status = 200, description = "The plan, with its deviations so far", body = SharedPlan))
)]
pub async fn show(app: Data<App>, token: Path<String>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = linked(&mut conn, &token).await?;
    let frozen = frozen::of_plan(&mut conn, plan.id).await?.ok_or(PlanRefusal::NotFrozen)?;
    let content = frozen.content().map_err(ApiError::internal)?;
    let deviations = deviations::list(&mut conn, plan.id).await?;
    Ok(unlisted(HttpResponse::Ok().json(SharedPlan {
        question_count: content.survey.questions.iter().filter(|question| question.is_request()).count(),
        survey_title: content.survey.title,
        document: content.plan,
        frozen_at: frozen.frozen_at,
        sha256: frozen.sha256,
        data_before: content.data_before,
        started: plan.study_id.is_some(),
        deviations: deviations.into_iter().map(|(noted, _)| noted.into()).collect(),
    })))
}

/// A public plan as Markdown, with its deviations so far
#[utoipa::path(
    get, path = "", operation_id = "show_shared_plan_as_markdown",
    security(()),
    responses((status = 200, description = "The file", body = String))
)]
pub async fn markdown(app: Data<App>, token: Path<String>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = linked(&mut conn, &token).await?;
    Ok(unlisted(written(&mut conn, &plan, PlanFile::Markdown).await?))
}

/// A public plan as it was hashed: canonical JSON with the survey and its design
#[utoipa::path(
    get, path = "", operation_id = "show_shared_plan_as_json",
    security(()),
    responses((status = 200, description = "The file, whose SHA-256 is that of the plan", body = serde_json::Value))
)]
pub async fn json(app: Data<App>, token: Path<String>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = linked(&mut conn, &token).await?;
    Ok(unlisted(written(&mut conn, &plan, PlanFile::Json).await?))
}
