//! The queue of interviews, the workers, and the model server as they know it: for super administrators.

use actix_web::HttpResponse;
use actix_web::web::Data;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::Result;
use crate::models::model_servers;
use crate::models::queue;
use crate::models::workers::{self, Worker};

#[derive(Debug, Serialize, ToSchema)]
struct Triggered {
    #[schema(example = "The workers look at the queue now")]
    message: String,
}

/// Rings at the workers' doors, so that they look at the queue now (super admin)
#[utoipa::path(
    post, path = "", operation_id = "trigger_queue",
    responses((status = 200, description = "They were rung", body = Triggered))
)]
pub async fn trigger(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    queue::notify_workers(&mut *db::checkout(&app.pool).await?).await?;
    Ok(HttpResponse::Ok().json(Triggered { message: "The workers look at the queue now".to_owned() }))
}

/// Waiting interviews, workers, and the state of the model server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QueueStatus {
    /// Interviews that wait for a worker.
    #[schema(example = 1800)]
    queued: i64,
    /// Interviews in a worker's hands.
    #[schema(example = 200)]
    running: i64,
    /// How long the oldest of all of them is in the queue; null where there is none.
    #[schema(example = 12)]
    oldest_seconds: Option<i64>,
    /// Workers that are alive, the oldest first.
    workers: Vec<Worker>,
    model_server: ModelServerStatus,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ModelServerStatus {
    /// Model of runs that name none.
    #[schema(example = "gpt-4.1-mini")]
    model: String,
    /// The built-in demo model, not a language model.
    demo_model: bool,
    /// Nobody asks it before this; null where it may be asked.
    blocked_until: Option<DateTime<Utc>>,
    /// Why nobody asks it.
    #[schema(example = "rate limit")]
    reason: Option<String>,
}

/// The queue, the workers and the model server (super admin)
#[utoipa::path(get, path = "", responses((status = 200, description = "As they are now", body = QueueStatus)))]
pub async fn queue_status(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    Ok(HttpResponse::Ok().json(QueueStatus::read(&app).await?))
}

impl QueueStatus {
    async fn read(app: &App) -> Result<Self> {
        let mut conn = db::checkout(&app.pool).await?;
        let depth = queue::depth(&mut conn).await?;
        let model = app.config.models.main();
        let blocked = model_servers::blocked(&mut conn, &model.name).await?;
        let (blocked_until, reason) = blocked.map_or((None, None), |(until, reason)| (Some(until), reason));
        Ok(Self {
            queued: depth.waiting,
            running: depth.leased,
            oldest_seconds: depth.oldest_seconds,
            workers: workers::alive(&mut conn).await?,
            model_server: ModelServerStatus {
                model: model.model.clone(),
                demo_model: model.is_demo(),
                blocked_until,
                reason,
            },
        })
    }
}
