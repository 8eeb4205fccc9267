//! A run's answers as lists.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use simulation::rows::{Answered, Debugged};
use simulation::run::Run;
use survey::question::{Question, QuestionType};
use utoipa::ToSchema;

use super::conditions::Conditions;
use super::twin_query::TwinQuery;
use super::{Address, about, list, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::http::page::{PageQuery, WindowQuery, linked};
use crate::models::assignments::{self, Reach};
use crate::models::responses::{self, Tally};
use crate::results::list::ElementKind;
use crate::results::matrix::MatrixRow;

/// The answers of a run, as List View shows them
///
/// Stored answers only, by twin and survey order. Without a limit all of them, streamed.
#[utoipa::path(
    get, path = "", operation_id = "list_answers",
    params(WindowQuery, TwinQuery, Conditions),
    responses((status = 200, description = "The answers", body = Vec<Answered>))
)]
pub async fn formatted(
    app: Data<App>,
    request: HttpRequest,
    caller: Caller,
    path: Path<Address>,
    window: WindowQuery,
    Query(query): Query<TwinQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let all = list(&app, &caller, *path, ElementKind::Answers, window.into(), &query, conditions).await?;
    Ok(linked(all, &request, window))
}

/// Every request of a run with where its answer came from
///
/// By twin and survey order: answered ones with their provenance, failed ones with the reason and what the model had
/// said, open ones. Without a limit all of them, streamed.
#[utoipa::path(
    get, path = "", operation_id = "debug_answers",
    params(WindowQuery, TwinQuery, Conditions),
    responses((status = 200, description = "The requests", body = Vec<Debugged>))
)]
pub async fn debug(
    app: Data<App>,
    request: HttpRequest,
    caller: Caller,
    path: Path<Address>,
    window: WindowQuery,
    Query(query): Query<TwinQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let all = list(&app, &caller, *path, ElementKind::Debug, window.into(), &query, conditions).await?;
    Ok(linked(all, &request, window))
}

/// The answers of a run twin by twin, as Matrix View shows them
///
/// A page of twins, each with one answer for every question in survey order.
#[utoipa::path(
    get, path = "", operation_id = "matrix_of_answers",
    params(PageQuery, TwinQuery, Conditions),
    responses((status = 200, description = "The twins", body = Vec<MatrixRow>))
)]
pub async fn matrix(
    app: Data<App>,
    request: HttpRequest,
    caller: Caller,
    path: Path<Address>,
    page: PageQuery,
    Query(query): Query<TwinQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let window = WindowQuery { limit: Some(page.limit), offset: page.offset };
    let twins = list(&app, &caller, *path, ElementKind::Twins, window.into(), &query, conditions).await?;
    Ok(linked(twins, &request, window))
}

/// Counts of the requests to one question of a run, by outcome.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QuestionCounts {
    #[schema(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    simulation_id: String,
    #[schema(example = 3)]
    question_id: i64,
    /// 1-based place in the survey.
    #[schema(example = 1)]
    question_number: i32,
    #[schema(example = "What do you drink in the morning?")]
    question_text: String,
    question_type: QuestionType,
    /// Requests: one a twin, or one for each twin whose arms have the question.
    #[schema(example = 200)]
    total: i64,
    #[schema(example = 198)]
    answered: i64,
    #[schema(example = 2)]
    failed: i64,
    /// Requests that the survey's design did not show.
    #[schema(example = 0)]
    skipped: i64,
    /// Neither answered, failed nor skipped: not asked yet, being asked again, or dropped when the run was stopped.
    #[schema(example = 0)]
    open: i64,
}

/// How many requests of a run were answered, failed and are open, by question
#[utoipa::path(
    get, path = "", operation_id = "count_answers",
    responses((status = 200, description = "The questions of the run, in survey order", body = Vec<QuestionCounts>))
)]
pub async fn counts(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, &caller, *path).await?;
    let facts = &run.facts;
    let all = Tally { answered: facts.persona_count.into(), failed: 0 };
    // Most runs are answered completely, and then there is nothing to count.
    let tallies = if facts.successful_requests == run.rows() {
        run.questions.iter().map(|question| (question.id, all)).collect()
    } else {
        responses::tallies(&mut conn, facts.id).await?
    };
    let reach = match &run.plan {
        Some(plan) => Some(assignments::reach(&conn, facts.id, plan).await?),
        None => None,
    };
    let everyone = Reach { twins: facts.persona_count.into(), skipped: 0 };
    let rows = run.questions.iter().map(|question| {
        let tally = tallies.get(&question.id).copied().unwrap_or_default();
        let reach = reach.as_ref().map_or(everyone, |reach| reach.get(&question.id).copied().unwrap_or_default());
        QuestionCounts::of(&run, question, tally, reach)
    });
    Ok(about(&run.notice).json(rows.collect::<Vec<_>>()))
}

impl QuestionCounts {
    fn of(run: &Run, question: &Question, tally: Tally, reach: Reach) -> Self {
        let (Reach { twins: total, skipped }, Tally { answered, failed }) = (reach, tally);
        Self {
            simulation_id: run.simulation_id.clone(),
            question_id: question.id,
            question_number: question.order,
            question_text: question.text.clone(),
            question_type: question.question_type,
            total,
            answered,
            failed,
            skipped,
            open: (total - answered - failed - skipped).max(0),
        }
    }
}
