//! The public page of a frozen plan: published and withdrawn by the survey's author.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use uuid::Uuid;

use super::PlanView;
use crate::app::App;
use crate::auth::access_token::NewToken;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::models::study_plans::{PlanRefusal, frozen, links};

/// Gives a frozen plan a public page at an address that nobody can guess (the survey's author)
///
/// Everybody who has the address reads the plan, the survey's questions and design, and the deviations, without an account and
/// until it is withdrawn. A plan that has a page keeps its address.
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The plan with its `link`", body = PlanView),
        (status = 409, description = "It is not frozen yet")
    )
)]
pub async fn publish_plan(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::Own).await?;
    frozen::of_plan(&mut conn, plan.id).await?.ok_or(PlanRefusal::NotFrozen)?;
    links::publish(&mut conn, plan.id, caller.id, NewToken::for_link().expose()).await?;
    Ok(HttpResponse::Ok().json(PlanView::of(&mut conn, &caller, plan).await?))
}

/// Withdraws the public page of a plan: its address leads nowhere at once, for good (the survey's author)
#[utoipa::path(delete, path = "", responses((status = 204, description = "The plan has no public page")))]
pub async fn withdraw_plan(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, *id, Right::Own).await?;
    links::withdraw(&mut conn, plan.id).await?;
    Ok(HttpResponse::NoContent().finish())
}
