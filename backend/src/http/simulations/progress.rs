//! How far runs are, and why requests of theirs failed.

use actix_web::http::header::ContentType;
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get, post};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right, WatchedRun, Watcher};
use crate::auth::token::Claims;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::http::page::{sent, written};
use crate::models::request_failures::{self, Cause};
use crate::models::simulations::progress::Progress;
use crate::models::simulations::{overview, reconcile};
use crate::results::progress::Seen;

resource!("Simulations": progress, live_progress, refresh_status, update_progress, failures, check_all_statuses);

/// How far a run is
#[utoipa::path(
    params(("simulationId" = Uuid, Path, example = "7a6b5c4d-0000-4000-8000-000000000007")),
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
#[get("/simulations/{simulationId}/progress")]
async fn progress(app: Data<App>, claims: Claims, id: Path<Uuid>) -> Result<HttpResponse> {
    show(&app, watched(&app, &claims, WatchedRun::ById(*id)).await?).await
}

/// How far a run is: the same as its progress
#[utoipa::path(
    params(("simulationId" = Uuid, Path, example = "7a6b5c4d-0000-4000-8000-000000000007")),
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
#[get("/simulations/{simulationId}/live-progress")]
async fn live_progress(app: Data<App>, claims: Claims, id: Path<Uuid>) -> Result<HttpResponse> {
    show(&app, watched(&app, &claims, WatchedRun::ById(*id)).await?).await
}

/// How far a run is, after its state and counters were made to agree with its answers
#[utoipa::path(
    params(("simulationId" = Uuid, Path, example = "7a6b5c4d-0000-4000-8000-000000000007")),
    responses((status = 200, description = "As it is now", body = Progress))
)]
#[get("/simulations/{simulationId}/refresh-status")]
async fn refresh_status(app: Data<App>, claims: Claims, id: Path<Uuid>) -> Result<HttpResponse> {
    let run = watched(&app, &claims, WatchedRun::ById(*id)).await?;
    refresh(&app, run).await
}

/// What a client believes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportedProgress {
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
#[utoipa::path(
    params(("simulationId" = Uuid, Path, example = "7a6b5c4d-0000-4000-8000-000000000007")),
    request_body = ReportedProgress,
    responses((status = 200, description = "As counted", body = Progress))
)]
#[post("/simulations/{simulationId}/update-progress")]
async fn update_progress(
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
    params(("simulationId" = Uuid, Path, example = "7a6b5c4d-0000-4000-8000-000000000007")),
    responses((status = 200, description = "Each cause once; none where nothing failed", body = Vec<Cause>))
)]
#[get("/simulations/{simulationId}/failures")]
async fn failures(app: Data<App>, claims: Claims, id: Path<Uuid>) -> Result<HttpResponse> {
    let run = watched(&app, &claims, WatchedRun::ById(*id)).await?;
    let causes = app.lists.others.ask(format!("failures of run {run}"), async || {
        written(&request_failures::causes(&mut *db::checkout(&app.pool).await?, run).await?)
    });
    Ok(sent(causes.await?))
}

/// The most runs that one call makes agree.
const MOST_CHECKED: i64 = 100;

/// Makes the state and counters of the caller's active runs agree with their answers; for a super admin everybody's
#[utoipa::path(responses((status = 200, description = "How each of up to 100 stands now", body = Vec<Progress>)))]
#[post("/simulations/check-all-statuses")]
async fn check_all_statuses(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let user_id = rules::runs_of(&mut conn, &caller, None).await?;
    let runs = overview::active(&mut conn, user_id, MOST_CHECKED).await?;
    let mut standing = Vec::with_capacity(runs.len());
    for run in &runs {
        reconcile::refresh(&mut conn, *run).await?;
        app.watched.forget(*run);
    }
    drop(conn);
    for run in runs {
        standing.push((*look(&app, run).await?.progress).clone());
    }
    Ok(HttpResponse::Ok().json(standing))
}

/// The run's row id, for who sees it.
pub(super) async fn watched(app: &App, claims: &Claims, run: WatchedRun) -> Result<i64> {
    let user_id = claims.user_id().ok_or(ApiError::SignedOut)?;
    if let Some(run) = app.watchers.run(Watcher { user_id, token_version: claims.ver, run }).await? {
        return Ok(run);
    }
    // Only who is refused is worth a look of their own, at why.
    let mut conn = db::checkout(&app.pool).await?;
    Caller::of(&mut conn, claims).await?.ok_or(ApiError::SignedOut)?;
    Err(ApiError::not_found("Simulation"))
}

async fn controlled(app: &App, caller: &Caller, simulation_id: Uuid) -> Result<i64> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(rules::simulation(&mut conn, caller, simulation_id, Right::Control).await?.id)
}

async fn look(app: &App, run: i64) -> Result<Seen> {
    app.watched.look(&app.pool, run).await?.ok_or_else(|| ApiError::not_found("Simulation"))
}

pub(super) async fn show(app: &App, run: i64) -> Result<HttpResponse> {
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(look(app, run).await?.json))
}

pub(super) async fn refresh(app: &App, run: i64) -> Result<HttpResponse> {
    app.watched.refresh(&app.pool, run).await?;
    show(app, run).await
}
