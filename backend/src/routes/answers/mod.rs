//! What a run's twins answered: lists, files and figures. Who sees the run sees its answers.

pub mod export;
pub mod lists;
pub mod summary;

use std::fmt::Display;

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder};
use diesel_async::AsyncPgConnection;
use futures_util::{Stream, TryStreamExt};
use uuid::Uuid;

use super::error::{ApiError, Result};
use super::page::{TOTAL, Window};
use super::request_id;
use crate::access::{self, Caller, Refusal, Right};
use crate::app::App;
use crate::db;
use crate::exports::list::List;
use crate::exports::run::Run;
use crate::exports::stream;

/// Says what nobody may read the answers without knowing: every answer of these calls carries it.
const NOTICE: HeaderName = HeaderName::from_static("x-notice");

/// Survey and run, as they stand in the path.
type Address = (i64, Uuid);

/// The run at the address, if the caller sees it.
async fn run(conn: &mut AsyncPgConnection, caller: &Caller, (survey_id, simulation_id): Address) -> Result<Run> {
    let not_there = || ApiError::NotFound("Simulation or survey not found.".to_owned());
    let simulation = match access::simulation(conn, caller, simulation_id, Right::See).await {
        Ok(simulation) if simulation.survey_id == survey_id => simulation,
        Ok(_) | Err(Refusal::NotThere(_)) => return Err(not_there()),
        Err(refusal) => return Err(refusal.into()),
    };
    Ok(Run::of(conn, simulation).await?)
}

/// An answer about this run, with its notice.
fn about(run: &Run) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    if let Ok(notice) = HeaderValue::from_str(&run.notice) {
        answer.insert_header((NOTICE, notice));
    }
    answer
}

/// The window of a list of the run, streamed. What breaks on the way breaks the answer off, and is logged.
async fn list(app: &App, mut conn: db::Checkout<'_>, run: Run, list: List, window: Window) -> Result<HttpResponse> {
    let (pages, encoder) = list.open(&mut conn, &run, window.into()).await?;
    drop(conn);
    let mut answer = about(&run);
    answer.insert_header((TOTAL, HeaderValue::from(list.total(&run)))).content_type("application/json");
    Ok(answer.streaming(logged(stream::of_pages(app.pool.clone(), run, pages, encoder))))
}

/// The stream, with a log line where it breaks: its answer has begun and can tell the caller no more.
fn logged<T, E: Display>(stream: impl Stream<Item = Result<T, E>>) -> impl Stream<Item = Result<T, E>> {
    let request_id = request_id::current();
    stream.inspect_err(move |cause| tracing::error!(%request_id, %cause, "an answer broke off"))
}
