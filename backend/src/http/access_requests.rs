//! Requests for access, for super administrators to decide.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use utoipa::ToSchema;

use super::error::{ApiError, Result};
use super::extract::{Json, Query};
use super::page::{Page, PageQuery};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::models::access_requests::{self, AccessRequest, Decision, Undecided};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AccessRequestQuery {
    /// `pending`, `approved` or `rejected`; all without it.
    status: Option<String>,
}

/// The requests, newest first (super admin)
#[utoipa::path(
    get, path = "",
    params(AccessRequestQuery, PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<AccessRequest>))
)]
pub async fn list(
    app: Data<App>,
    caller: Caller,
    Query(filter): Query<AccessRequestQuery>,
    page: PageQuery,
) -> Result<Page<AccessRequest>> {
    caller.must_be_super_admin()?;
    if filter.status.as_deref().is_some_and(|status| !["pending", "approved", "rejected"].contains(&status)) {
        return Err(ApiError::invalid("status must be pending, approved or rejected"));
    }
    let mut conn = db::checkout(&app.pool).await?;
    let (rows, total) = access_requests::list(&mut conn, filter.status.as_deref(), page.limit, page.offset).await?;
    Ok(Page { rows, total })
}

/// Approves a request: its e-mail may sign in as an admin and is mailed the next steps (super admin)
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "Approved", body = AccessRequest),
        (status = 409, description = "Decided already")
    )
)]
pub async fn approve(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    decide(&app, &caller, *id, Decision::Approve).await
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Rejection)]
pub struct RejectionBody {
    /// Text that is mailed to the requester.
    #[serde(default)]
    #[schema(example = "We can only admit universities.")]
    reason: Option<String>,
}

/// Rejects a request with a reason, which is mailed (super admin)
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "Rejected", body = AccessRequest),
        (status = 409, description = "Decided already")
    )
)]
pub async fn reject(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(rejection): Json<RejectionBody>,
) -> Result<HttpResponse> {
    let reason = rejection.reason.unwrap_or_default();
    if reason.chars().count() > 2_000 {
        return Err(ApiError::invalid("reason must have at most 2000 characters"));
    }
    decide(&app, &caller, *id, Decision::Reject { reason: reason.trim() }).await
}

async fn decide(app: &App, caller: &Caller, id: i64, decision: Decision<'_>) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    let mut conn = db::checkout(&app.pool).await?;
    let decided = access_requests::decide(&mut conn, id, caller.id, decision).await.map_err(|reason| match reason {
        Undecided::NotFound => ApiError::not_found("Access request"),
        Undecided::DecidedBefore(_) => ApiError::conflict(reason.to_string()).with_code("already_decided"),
        Undecided::Database(error) => error.into(),
    })?;
    app.mailer.notify();
    Ok(HttpResponse::Ok().json(decided))
}
