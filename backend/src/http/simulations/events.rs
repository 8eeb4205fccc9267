//! A simulation's progress as server-sent events. All that an open stream needs lives in the stream, and ends with it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, ContentEncoding};
use actix_web::web::{Bytes, Data, Path};
use futures_util::stream::{self, Stream};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::models::simulations::progress::Progress;

/// Interval between two readings.
const INTERVAL: Duration = Duration::from_millis(500);
/// The longest silence: proxies close silent connections. The caller's right is checked again then.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A run's progress as server-sent events, until the run is over
///
/// Each event is named `progress` and holds what the progress call answers; one comes at once, then one whenever
/// something changed. A comment comes every 15 seconds in which nothing did.
#[utoipa::path(
    get, path = "",
    responses(
        (
            status = 200,
            description = "Events",
            content_type = "text/event-stream",
            body = String,
            example = json!("event: progress\ndata: {\"simulationStatus\":\"RUNNING\"}\n\n")
        )
    )
)]
pub async fn events(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let simulation = rules::simulation(&mut conn, &caller, *id, Right::See).await?.id;
    drop(conn);
    let first = app.progress.get(&app.pool, simulation).await?.ok_or_else(|| ApiError::not_found("Simulation"))?;
    let events = ProgressEvents {
        app,
        caller,
        simulation_id: *id,
        simulation,
        next: Some(first),
        sent: None,
        sent_at: Instant::now(),
    };
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header(ContentEncoding::Identity)
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(events.stream()))
}

struct ProgressEvents {
    app: Data<App>,
    caller: Caller,
    simulation_id: Uuid,
    /// The row's id.
    simulation: i64,
    /// Read and not sent yet.
    next: Option<Arc<Progress>>,
    sent: Option<Arc<Progress>>,
    sent_at: Instant,
}

impl ProgressEvents {
    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut events| async move {
            let event = events.next_event().await?;
            events.sent_at = Instant::now();
            Some((Ok(event), events))
        })
    }

    /// `None` ends the stream: the simulation is over, the caller may not see it any longer, the process is about to
    /// end, or the database does not answer. A client that is still there connects again.
    async fn next_event(&mut self) -> Option<Bytes> {
        if self.sent.as_ref().is_some_and(|sent| sent.debug.is_complete) {
            return None;
        }
        loop {
            let progress = match self.next.take() {
                Some(progress) => progress,
                None => self.read().await?,
            };
            if self.sent.as_ref() != Some(&progress) {
                let json = serde_json::to_string(&*progress).ok()?;
                self.sent = Some(progress);
                return Some(format!("event: progress\ndata: {json}\n\n").into());
            }
            if self.sent_at.elapsed() >= HEARTBEAT {
                return self.is_still_visible().await.then(|| Bytes::from_static(b": nothing new\n\n"));
            }
        }
    }

    async fn read(&self) -> Option<Arc<Progress>> {
        tokio::select! {
            () = sleep(INTERVAL) => self.app.progress.get(&self.app.pool, self.simulation).await.ok().flatten(),
            () = self.app.progress.closed() => None,
        }
    }

    async fn is_still_visible(&self) -> bool {
        let visible = async {
            let mut conn = db::checkout(&self.app.pool).await?;
            let Some(caller) = self.caller.again(&mut conn).await? else { return Ok(false) };
            Ok(rules::simulation(&mut conn, &caller, self.simulation_id, Right::See).await.is_ok())
        };
        db::in_time(visible).await.unwrap_or(false)
    }
}
