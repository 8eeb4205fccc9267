//! Freezing plans, and looking at hidden results without.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use simulation::plans::document::PlanDocument;
use uuid::Uuid;

use super::PlanView;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::OptionalJson;
use crate::models::study_plans;

/// Freezes a plan: from now on nothing of it can be changed (the survey's author)
///
/// The plan, the survey with its design and the time are hashed together. It needs a title and at least one primary item.
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The frozen plan", body = PlanView),
        (status = 409, description = "It is frozen already, or the survey has no questions")
    )
)]
pub async fn freeze_plan(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::Own).await?;
    study_plans::freeze::freeze(&mut conn, plan.id, caller.id).await?;
    Ok(HttpResponse::Ok().json(PlanView::again(&mut conn, &caller, *id).await?))
}

/// Freezes the plan of a study: the draft that it was started by, or the one that is sent (who started it)
///
/// A plan that is sent takes the draft's place. If answers could be seen already, that is noted as a deviation, as is every
/// difference between the plan and the runs.
#[utoipa::path(
    post, path = "",
    request_body = Option<PlanDocument>,
    responses(
        (status = 200, description = "The frozen plan", body = PlanView),
        (status = 409, description = "The study's plan is frozen already")
    )
)]
pub async fn freeze_study(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    OptionalJson(document): OptionalJson<PlanDocument>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, &caller, *id, Right::Own).await?;
    let survey = survey_of(&mut conn, &caller, *id).await?;
    let document = document.as_ref();
    let plan = study_plans::freeze::freeze_study(&mut conn, (study, survey), caller.id, document).await?;
    Ok(HttpResponse::Ok().json(PlanView::again(&mut conn, &caller, plan.plan_id).await?))
}

/// The plan of a study
#[utoipa::path(
    get, path = "",
    responses(
        (status = 200, description = "As it is now", body = PlanView),
        (status = 404, description = "There is no such study, or it has no plan")
    )
)]
pub async fn show_plan_of_study(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, &caller, *id, Right::See).await?;
    let plan = study_plans::of_study(&mut conn, study).await?.ok_or_else(|| ApiError::not_found("Plan"))?;
    Ok(HttpResponse::Ok().json(PlanView::of(&mut conn, &caller, plan).await?))
}

/// Shows the hidden results of a study before its plan is frozen (the survey's author)
///
/// It cannot be undone, and is noted as a deviation: look at data before the freeze.
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The plan, which hides nothing any more", body = PlanView),
        (status = 409, description = "It hides no results")
    )
)]
pub async fn look_anyway(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::Own).await?;
    study_plans::look(&mut conn, plan.id, caller.id).await?;
    Ok(HttpResponse::Ok().json(PlanView::again(&mut conn, &caller, *id).await?))
}

/// The survey of a study, if the caller owns it.
async fn survey_of(conn: &mut diesel_async::AsyncPgConnection, caller: &Caller, study_id: Uuid) -> Result<i64> {
    let first = crate::models::studies::first_run(conn, study_id).await?;
    let (_, run) = first.ok_or_else(|| ApiError::not_found("Study"))?;
    let run = rules::simulation(conn, caller, run, Right::Own).await?;
    Ok(rules::survey(conn, caller, run.survey_id, Right::Own).await?.id)
}
