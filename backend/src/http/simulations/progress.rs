//! How far runs are, and why requests of theirs failed.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::request_failures::{self, Cause};
use crate::models::simulations::progress::Progress;
use crate::models::simulations::{overview, reconcile};

/// How far a run is
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
pub async fn progress(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    show(&app, visible(&app, &caller, *id).await?).await
}

/// How far a run is: the same as its progress
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
pub async fn live_progress(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    show(&app, visible(&app, &caller, *id).await?).await
}

/// How far a run is, after its state and counters were made to agree with its answers
#[utoipa::path(get, path = "", responses((status = 200, description = "As it is now", body = Progress)))]
pub async fn refresh_status(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    refresh(&app, visible(&app, &caller, *id).await?).await
}

/// Progress as a client believes it to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportedProgress {
    #[serde(alias = "progress_percentage")]
    #[schema(example = 40.0, minimum = 0, maximum = 100)]
    progress_percentage: f64,
}

impl ReportedProgress {
    pub(super) fn check(&self) -> Result<()> {
        if (0.0..=100.0).contains(&self.progress_percentage) {
            return Ok(());
        }
        Err(ApiError::invalid("progressPercentage must be between 0 and 100"))
    }
}

/// Takes a client's idea of the progress, and answers with the counted one: the count stands
#[utoipa::path(post, path = "", responses((status = 200, description = "As counted", body = Progress)))]
pub async fn update_progress(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Json(reported): Json<ReportedProgress>,
) -> Result<HttpResponse> {
    reported.check()?;
    show(&app, controlled(&app, &caller, *id).await?).await
}

/// Why requests of a run failed, the commonest cause first
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "Each cause once; none where nothing failed", body = Vec<Cause>))
)]
pub async fn failures(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let simulation = rules::simulation(&mut conn, &caller, *id, Right::See).await?;
    Ok(HttpResponse::Ok().json(request_failures::causes(&mut conn, simulation.id).await?))
}

/// Runs that one call reconciles.
const MAX_CHECKED: i64 = 100;

/// Makes the state and counters of the caller's active runs agree with their answers; for a super admin everybody's
#[utoipa::path(
    post, path = "",
    responses((status = 200, description = "How each of up to 100 stands now", body = Vec<Progress>))
)]
pub async fn check_all_statuses(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let user_id = rules::runs_of(&mut conn, &caller, None).await?;
    let runs = overview::active(&mut conn, user_id, MAX_CHECKED).await?;
    let mut standing = Vec::with_capacity(runs.len());
    for run in &runs {
        reconcile::refresh(&mut conn, *run).await?;
        app.progress.forget(*run);
    }
    drop(conn);
    for run in runs {
        standing.push(current(&app, run).await?);
    }
    Ok(HttpResponse::Ok().json(standing))
}

/// The simulation's row id, if the caller sees it. Gives the connection back, since reading progress may need one.
async fn visible(app: &App, caller: &Caller, simulation_id: Uuid) -> Result<i64> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(rules::simulation(&mut conn, caller, simulation_id, Right::See).await?.id)
}

async fn controlled(app: &App, caller: &Caller, simulation_id: Uuid) -> Result<i64> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(rules::simulation(&mut conn, caller, simulation_id, Right::Control).await?.id)
}

async fn current(app: &App, simulation: i64) -> Result<Arc<Progress>> {
    app.progress.get(&app.pool, simulation).await?.ok_or_else(|| ApiError::not_found("Simulation"))
}

pub(super) async fn show(app: &App, simulation: i64) -> Result<HttpResponse> {
    Ok(HttpResponse::Ok().json(current(app, simulation).await?))
}

pub(super) async fn refresh(app: &App, simulation: i64) -> Result<HttpResponse> {
    app.progress.refresh(&app.pool, simulation).await?;
    show(app, simulation).await
}
