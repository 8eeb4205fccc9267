//! A frozen plan as files: for a registry such as the OSF, and to check its hash.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use simulation::plans::markdown;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::download::attach;
use crate::http::error::{ApiError, Result};
use crate::models::study_plans::{PlanRefusal, StudyPlan, deviations, frozen};

#[derive(Clone, Copy, Debug)]
pub(super) enum PlanFile {
    Markdown,
    Json,
}

/// A frozen plan as Markdown, with its deviations so far
#[utoipa::path(
    get, path = "",
    responses(
        (status = 200, description = "The file", body = String),
        (status = 409, description = "It is not frozen yet")
    )
)]
pub async fn plan_markdown(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::See).await?;
    written(&mut conn, &plan, PlanFile::Markdown).await
}

/// A frozen plan as it was hashed: canonical JSON with the survey and its design
#[utoipa::path(
    get, path = "",
    responses(
        (status = 200, description = "The file, whose SHA-256 is that of the plan", body = serde_json::Value),
        (status = 409, description = "It is not frozen yet")
    )
)]
pub async fn plan_json(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::See).await?;
    written(&mut conn, &plan, PlanFile::Json).await
}

pub(super) async fn written(conn: &mut AsyncPgConnection, plan: &StudyPlan, file: PlanFile) -> Result<HttpResponse> {
    let frozen = frozen::of_plan(conn, plan.id).await?.ok_or(PlanRefusal::NotFrozen)?;
    let short = &frozen.sha256[..8];
    let ending = match file {
        PlanFile::Markdown => "md",
        PlanFile::Json => "json",
    };
    let mut answer = HttpResponse::Ok();
    attach(&mut answer, &format!("plan-{short}.{ending}"));
    Ok(match file {
        PlanFile::Json => answer.body(frozen.canonical),
        PlanFile::Markdown => {
            let content = frozen.content().map_err(ApiError::internal)?;
            let noted = deviations::list(conn, plan.id).await?.into_iter().map(|(noted, _)| noted);
            answer.body(markdown::markdown(&content, &frozen.sha256, &noted.collect::<Vec<_>>()))
        }
    })
}
