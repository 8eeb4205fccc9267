//! A run's answers as lists, files and figures. Callers who see the run see its answers.

pub mod bundle;
pub mod comparison;
pub mod conditions;
pub mod diagnostics;
pub mod export;
pub mod file_responses;
pub mod files;
pub mod lists;
pub mod own_answers;
pub mod people;
pub mod summary;
pub mod texts;
mod twin_query;

use std::time::Duration;

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder};
use diesel_async::AsyncPgConnection;
use simulation::run::Run;
use simulation::summaries::variables::Variable;
use uuid::Uuid;

use self::conditions::Conditions;
use self::twin_query::TwinQuery;
use super::error::{ApiError, Result};
use super::extract::admit;
use super::page::TOTAL_COUNT;
use super::request_id::logged;
use crate::app::App;
use crate::auth::rules::{self, AccessRefusal, Caller, Right};
use crate::db;
use crate::models::study_plans::deviations::{ExtraAnalysis, note_analysis};
use crate::models::study_plans::must_be_shown;
use crate::models::summaries::Twins;
use crate::results::list::{ElementKind, ListPart, Window};
use crate::results::runs::{self, RunVersion};
use crate::results::single_flight::Freshness;
use crate::results::stream;
use crate::results::twin_order::TwinOrder;
use crate::work::Work;

/// The notice to be shown with the answers; every response of these calls carries it.
const NOTICE: HeaderName = HeaderName::from_static("x-notice");

/// The ids of the survey and the run in the path.
type Address = (i64, Uuid);

/// The run at the address by its row's id, if the caller sees it and no plan hides its results.
async fn seen(conn: &mut AsyncPgConnection, caller: &Caller, (survey_id, simulation_id): Address) -> Result<i64> {
    match rules::simulation(conn, caller, simulation_id, Right::See).await {
        Ok(run) if run.survey_id == survey_id => {
            must_be_shown(conn, run.id).await?;
            Ok(run.id)
        }
        Ok(_) | Err(AccessRefusal::NotThere(_)) => {
            Err(ApiError::NotFound("Simulation or survey not found.".to_owned()))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// The run at the address, if the caller sees it.
async fn run(conn: &mut AsyncPgConnection, caller: &Caller, address: Address) -> Result<Run> {
    let id = seen(conn, caller, address).await?;
    Ok(runs::load(conn, id).await?)
}

/// The ids of the run's twins that the conditions let through, sorted. `None`: there are no conditions. A handler that uses
/// them calls [`note`] too.
async fn passing(conn: &mut AsyncPgConnection, run: &Run, conditions: &Conditions) -> Result<Option<Vec<i32>>> {
    let filter = conditions.filter(&run.questions)?;
    if filter.is_empty() {
        return Ok(None);
    }
    let twins = Twins::load(conn, run.facts.id, &run.questions, filter.variables(None)).await?;
    conditions::check(&filter, &twins)?;
    let mut ids = twins.passing(&filter);
    ids.sort_unstable();
    Ok(Some(ids))
}

/// Notes groups and conditions that the frozen plan of the run's study does not have. Call it for each caller, never within
/// a read that callers share.
async fn note(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    run: &Run,
    by: Option<&str>,
    conditions: &Conditions,
) -> Result<()> {
    if let Some(by) = by.filter(|by| !by.is_empty()) {
        let by = Variable::parse(by, &run.questions).map_err(|reason| ApiError::Invalid(format!("by: {reason}")))?;
        note_analysis(conn, run.facts.id, caller.writer(), ExtraAnalysis::Groups(&by)).await?;
    }
    let filter = conditions.filter(&run.questions)?;
    if !filter.is_empty() {
        note_analysis(conn, run.facts.id, caller.writer(), ExtraAnalysis::Exclusion(&filter)).await?;
    }
    Ok(())
}

/// Greatest age of the figures of a run under way, which a class may watch.
const MAX_AGE_UNDER_WAY: Duration = Duration::from_secs(1);

fn freshness(run: &Run) -> Freshness {
    if run.facts.status.is_over() { Freshness::UnderWay } else { Freshness::YoungerThan(MAX_AGE_UNDER_WAY) }
}

fn version(run: &Run) -> RunVersion {
    (run.facts.id, run.facts.status.is_over().then_some(run.facts.updated_at))
}

/// An answer about a run, with its notice.
fn about(notice: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    if let Ok(notice) = HeaderValue::from_str(notice) {
        answer.insert_header((NOTICE, notice));
    }
    answer
}

/// The window of a list of the run, if the caller sees the run: of the twins that the query finds, in its order. A limited
/// one is read once for everyone who asks for it at the same time, as a class does; the whole list is streamed.
async fn list(
    app: &App,
    caller: &Caller,
    address: Address,
    list: ElementKind,
    window: Window,
    query: &TwinQuery,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let id = seen(&mut conn, caller, address).await?;
    let order = match query.is_empty() {
        true => TwinOrder::default(),
        false => query.twin_order(&runs::load(&conn, id).await?)?,
    };
    drop(conn);
    let listed = ordered(app, caller, id, list, window, order, conditions);
    if query.is_empty() {
        return listed.await;
    }
    admit(app, caller.id, Work::AnswerSearch)?.start().await.scope(listed).await
}

/// The window of a list of the run with this row's id, in this order of its twins.
async fn ordered(
    app: &App,
    caller: &Caller,
    id: i64,
    list: ElementKind,
    window: Window,
    order: TwinOrder,
    conditions: Conditions,
) -> Result<HttpResponse> {
    if window.limit.is_some() {
        let key = (id, list, window, conditions.conditions.clone(), order.clone());
        let read = async || -> Result<ListPart> {
            let mut conn = db::checkout(&app.pool).await?;
            let run = runs::load(&conn, id).await?;
            let only = passing(&mut conn, &run, &conditions).await?;
            let only = order.twins(&mut conn, &run, only).await?;
            Ok(ListPart::read(&mut conn, &run, list, window, only).await?)
        };
        let ListPart { elements, total, notice } = app.answers.get(key, Freshness::OWN_WRITES, read).await?;
        if !conditions.conditions.is_empty() {
            let mut conn = db::checkout(&app.pool).await?;
            let run = runs::load(&conn, id).await?;
            note(&mut conn, caller, &run, None, &conditions).await?;
        }
        return Ok(array(&notice, total).body(elements));
    }
    let mut conn = db::checkout(&app.pool).await?;
    let run = runs::load(&conn, id).await?;
    let only = passing(&mut conn, &run, &conditions).await?;
    let only = order.twins(&mut conn, &run, only).await?;
    note(&mut conn, caller, &run, None, &conditions).await?;
    let total = list.total_of(&mut conn, &run, only.as_deref()).await?;
    let (pages, encoder) = list.open(&mut conn, &run, window, only).await?;
    drop(conn);
    let mut answer = array(&run.notice, total);
    Ok(answer.streaming(logged(stream::stream_pages(app.pool.clone(), run, pages, encoder))))
}

/// An answer that is an array of so many elements, or a part of it.
fn array(notice: &str, total: i64) -> HttpResponseBuilder {
    let mut answer = about(notice);
    answer.insert_header((TOTAL_COUNT, HeaderValue::from(total))).content_type("application/json");
    answer
}
