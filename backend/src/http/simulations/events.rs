//! A run's progress as server-sent events. The stream is the only thing that lives for a watcher: whoever goes away
//! takes it along.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpResponse, get};
use futures_util::stream::{self, Stream};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::progress::watched;
use crate::app::App;
use crate::auth::rules::WatchedRun;
use crate::auth::token::Claims;
use crate::http::error::{ApiError, Result};
use crate::models::simulations::progress::Progress;
use crate::results::progress::Seen;

resource!("Simulations": events);

/// Between two looks.
const ROUND: Duration = Duration::from_millis(500);
/// The longest silence: proxies end connections that say nothing, and the watcher's right is asked again.
const HEARTBEAT: Duration = Duration::from_secs(15);
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A run's progress as server-sent events, until the run is over
///
/// Each event is named `progress` and holds what the progress call answers; one comes at once, then one whenever
/// something changed. A comment comes every 15 seconds in which nothing did.
#[utoipa::path(
    params(("simulationId" = Uuid, Path, example = "7a6b5c4d-0000-4000-8000-000000000007")),
    responses(
        (status = 200, description = "Events", content_type = "text/event-stream", body = String,
            example = json!("event: progress\ndata: {\"simulationStatus\":\"RUNNING\"}\n\n"))
    )
)]
#[get("/simulations/{simulationId}/events")]
async fn events(app: Data<App>, claims: Claims, id: Path<Uuid>) -> Result<HttpResponse> {
    let run = watched(&app, &claims, WatchedRun::ById(*id)).await?;
    let first = app.watched.look(&app.pool, run).await?.ok_or_else(|| ApiError::not_found("Simulation"))?;
    let watcher =
        Watcher { app, claims, simulation_id: *id, run, next: Some(first), told: None, spoke: Instant::now() };
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .insert_header((BUFFERING, HeaderValue::from_static("no")))
        .streaming(watcher.events()))
}

/// Someone who watches a run.
struct Watcher {
    app: Data<App>,
    claims: Claims,
    simulation_id: Uuid,
    run: i64,
    /// Seen and not told yet.
    next: Option<Seen>,
    told: Option<Arc<Progress>>,
    spoke: Instant,
}

impl Watcher {
    fn events(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut watcher| async move {
            let event = watcher.event().await?;
            watcher.spoke = Instant::now();
            Some((Ok(event), watcher))
        })
    }

    /// What is to be said next. `None`: nothing more, because the run is over, the watcher may not see it any longer,
    /// the process is about to end, or the database does not answer; a client that is still there comes back.
    async fn event(&mut self) -> Option<Bytes> {
        if self.told.as_ref().is_some_and(|told| told.debug.is_complete) {
            return None;
        }
        loop {
            let seen = match self.next.take() {
                Some(seen) => seen,
                None => self.look().await?,
            };
            if self.told.as_ref() != Some(&seen.progress) {
                self.told = Some(seen.progress);
                return Some([b"event: progress\ndata: ".as_slice(), &seen.json, b"\n\n"].concat().into());
            }
            if self.spoke.elapsed() >= HEARTBEAT {
                return self.still_sees().await.then(|| Bytes::from_static(b": nothing new\n\n"));
            }
        }
    }

    async fn look(&self) -> Option<Seen> {
        tokio::select! {
            () = sleep(ROUND) => self.app.watched.look(&self.app.pool, self.run).await.ok().flatten(),
            () = self.app.watched.closed() => None,
        }
    }

    async fn still_sees(&self) -> bool {
        watched(&self.app, &self.claims, WatchedRun::ById(self.simulation_id)).await.is_ok()
    }
}
