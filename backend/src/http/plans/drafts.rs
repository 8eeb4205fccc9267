//! Drafts of plans: made, saved, listed and deleted.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use simulation::plans::document::PlanDocument;
use uuid::Uuid;

use super::PlanView;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::{Json, Query};
use crate::http::page::{Page, PageQuery};
use crate::models::study_plans;

/// The plans of a survey, newest first
#[utoipa::path(
    get, path = "",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<PlanView>))
)]
pub async fn list_plans(app: Data<App>, caller: Caller, id: Path<i64>, page: PageQuery) -> Result<Page<PlanView>> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    let (plans, total) = study_plans::of_survey(&mut conn, *id, page.limit, page.offset).await?;
    let mut rows = Vec::with_capacity(plans.len());
    // All are of one survey.
    let mut names = None;
    for plan in plans {
        rows.push(PlanView::of_survey(&mut conn, &caller, plan, &mut names).await?);
    }
    Ok(Page { rows, total })
}

/// Drafts a plan of a study of the survey (its author)
///
/// A draft says as much as is known; it can be saved again and again until it is frozen.
#[utoipa::path(
    post, path = "",
    responses(
        (status = 201, description = "The draft", body = PlanView),
        (status = 409, description = "The survey has 100 plans")
    )
)]
pub async fn draft_plan(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(document): Json<PlanDocument>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::Own).await?;
    let plan = study_plans::create(&mut conn, *id, caller.id, &document).await?;
    Ok(HttpResponse::Created().json(PlanView::of(&mut conn, &caller, plan).await?))
}

/// A plan with its deviations
#[utoipa::path(get, path = "", responses((status = 200, description = "As it is now", body = PlanView)))]
pub async fn show_plan(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(HttpResponse::Ok().json(PlanView::again(&mut conn, &caller, *id).await?))
}

/// The draft that a save replaces.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ReplacedDraft {
    /// `updatedAt` of the draft that is to be replaced, against lost updates.
    #[param(required = false)]
    expected_updated_at: Option<DateTime<Utc>>,
}

/// Saves a draft; what is left out is emptied (the survey's author)
#[utoipa::path(
    put, path = "",
    params(ReplacedDraft),
    responses(
        (status = 200, description = "As it is now", body = PlanView),
        (
            status = 409,
            description = "It is frozen; its study was started, and `blind` is another; or the draft is not the expected one"
        )
    )
)]
pub async fn save_plan(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(replaced): Query<ReplacedDraft>,
    Json(document): Json<PlanDocument>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::Own).await?;
    study_plans::save(&mut conn, plan.id, &document, replaced.expected_updated_at).await?;
    Ok(HttpResponse::Ok().json(PlanView::again(&mut conn, &caller, *id).await?))
}

/// Deletes a draft by which no study was started (the survey's author)
#[utoipa::path(
    delete, path = "",
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "It is frozen, or its study was started")
    )
)]
pub async fn delete_plan(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::Own).await?;
    study_plans::remove(&mut conn, plan.id).await?;
    Ok(HttpResponse::NoContent().finish())
}
