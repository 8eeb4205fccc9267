//! Control of a run: execute, pause, resume, stop, recount.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use simulation::row::Simulation;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::models::simulations::overview::{self, SimulationOverview};
use crate::models::simulations::{SimulationRefusal, control, reconcile};

/// Queues a run that waits to be executed; no change to one that is queued or running
#[utoipa::path(
    post, path = "", operation_id = "execute_simulation",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Paused or over")
    )
)]
pub async fn execute(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, control::execute).await
}

/// Pauses a run: calls under way finish and count, no new one starts
#[utoipa::path(
    post, path = "", operation_id = "pause_simulation",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Neither queued nor running")
    )
)]
pub async fn pause(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, control::pause).await
}

/// Lets a paused run go on where it stopped
#[utoipa::path(
    post, path = "", operation_id = "resume_simulation",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Not paused")
    )
)]
pub async fn resume(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, control::resume).await
}

/// Ends an active run: answers stay, unspent credits come back
#[utoipa::path(
    post, path = "", operation_id = "stop_simulation",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Over already")
    )
)]
pub async fn stop(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, control::stop).await
}

/// Recounts every counter of a run that is not running from its answers
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Running: its counters move with its answers")
    )
)]
pub async fn reset_counters(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, reconcile::reset_counters).await
}

/// Does it to the run, if the caller controls it, and answers with the run as it is then.
pub(super) async fn change(
    app: &App,
    caller: &Caller,
    simulation_id: Uuid,
    action: impl AsyncFnOnce(&mut AsyncPgConnection, i64) -> Result<Simulation, SimulationRefusal>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, caller, simulation_id, Right::Control).await?;
    action(&mut conn, run.id).await?;
    app.progress.forget(run.id);
    Ok(HttpResponse::Ok().json(overview::find(&mut conn, run.id).await?))
}
