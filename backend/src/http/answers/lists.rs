//! A run's answers as lists.

use std::time::Duration;

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};
use simulation::rows::{Answered, Debugged};
use simulation::run::Run;
use survey::question::{Question, QuestionType};
use utoipa::ToSchema;

use super::conditions::Conditions;
use super::{Address, about, array, list, note, passing, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::http::page::{PageQuery, WindowQuery, linked};
use crate::models::assignments::{self, Reach};
use crate::models::responses::{self, Tally};
use crate::results::list::{ElementKind, ListPart, Window};
use crate::results::matrix::MatrixRow;
use crate::results::twin_order::{Column, Direction, TwinOrder};
use crate::work::Work;

/// Longest search, in characters.
const MAX_SEARCH_CHARS: usize = 200;

/// The answers of a run, as List View shows them
///
/// Stored answers only, by twin and survey order. Without a limit all of them, streamed.
#[utoipa::path(
    get, path = "", operation_id = "list_answers",
    params(WindowQuery, Conditions),
    responses((status = 200, description = "The answers", body = Vec<Answered>))
)]
pub async fn formatted(
    app: Data<App>,
    request: HttpRequest,
    caller: Caller,
    path: Path<Address>,
    window: WindowQuery,
    conditions: Conditions,
) -> Result<HttpResponse> {
    Ok(linked(list(&app, &caller, *path, ElementKind::Answers, window.into(), conditions).await?, &request, window))
}

/// Every request of a run with where its answer came from
///
/// By twin and survey order: answered ones with their provenance, failed ones with the reason and what the model had
/// said, open ones. Without a limit all of them, streamed.
#[utoipa::path(
    get, path = "", operation_id = "debug_answers",
    params(WindowQuery, Conditions),
    responses((status = 200, description = "The requests", body = Vec<Debugged>))
)]
pub async fn debug(
    app: Data<App>,
    request: HttpRequest,
    caller: Caller,
    path: Path<Address>,
    window: WindowQuery,
    conditions: Conditions,
) -> Result<HttpResponse> {
    Ok(linked(list(&app, &caller, *path, ElementKind::Debug, window.into(), conditions).await?, &request, window))
}

/// Search over the twins of the matrix, and their order.
#[derive(Clone, Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MatrixQuery {
    /// Words, each of which is in the twin's name, id in the dataset, attributes or answers, in letters of either case.
    /// `failed` also finds twins with a failed request.
    #[serde(default, alias = "search")]
    #[param(example = "tea", max_length = 200)]
    q: Option<String>,
    /// Column that decides the order: `persona`, `question:31`, or `question:32:row:2` for the second row of a matrix.
    /// Numbers are sorted by size, choices by the order of the options, texts by letters. By id without it.
    #[serde(default)]
    #[param(example = "persona")]
    sort: Option<String>,
    /// Ascending without it. Twins without an answer come last in both.
    #[serde(default)]
    #[param(inline)]
    order: Direction,
}

impl MatrixQuery {
    fn is_empty(&self) -> bool {
        [&self.q, &self.sort].into_iter().flatten().all(String::is_empty)
    }

    /// Checks the query against the questions of the run.
    fn twin_order(&self, run: &Run) -> Result<TwinOrder> {
        let q = self.q.as_deref().unwrap_or_default();
        if q.chars().count() > MAX_SEARCH_CHARS {
            return Err(ApiError::Invalid(format!("q must have at most {MAX_SEARCH_CHARS} characters")));
        }
        let words = q.split_whitespace().map(str::to_owned).collect();
        let named = self.sort.as_deref().filter(|sort| !sort.is_empty());
        let column = named.map(|sort| Column::parse(sort, &run.questions)).transpose();
        let column = column.map_err(|reason| ApiError::Invalid(format!("sort: {reason}")))?;
        Ok(TwinOrder { words, sort: column.map(|column| (column, self.order)) })
    }
}

/// The answers of a run twin by twin, as Matrix View shows them
///
/// A page of twins, each with one answer for every question in survey order.
#[utoipa::path(
    get, path = "", operation_id = "matrix_of_answers",
    params(PageQuery, MatrixQuery, Conditions),
    responses((status = 200, description = "The twins", body = Vec<MatrixRow>))
)]
pub async fn matrix(
    app: Data<App>,
    request: HttpRequest,
    caller: Caller,
    path: Path<Address>,
    page: PageQuery,
    Query(query): Query<MatrixQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let window = WindowQuery { limit: Some(page.limit), offset: page.offset };
    if query.is_empty() {
        let all = list(&app, &caller, *path, ElementKind::Twins, page.into(), conditions).await?;
        return Ok(linked(all, &request, window));
    }
    let run = run(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let order = query.twin_order(&run)?;
    Ok(linked(found(&app, &caller, run, order, page.into(), conditions).await?, &request, window))
}

/// A page of the twins that a search finds, in its order. Equal searches at the same time are made once.
async fn found(
    app: &App,
    caller: &Caller,
    run: Run,
    order: TwinOrder,
    window: Window,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let permit = admit(app, caller.id, Work::AnswerSearch)?.start().await;
    let key = (run.facts.id, ElementKind::Twins, window, conditions.conditions.clone(), order.clone());
    let read = async || -> Result<ListPart> {
        let mut conn = db::checkout(&app.pool).await?;
        let only = passing(&mut conn, &run, &conditions).await?;
        let twins = order.twins(&mut conn, &run, only).await?;
        let from = usize::try_from(window.offset).unwrap_or(usize::MAX).min(twins.len());
        let to = window.limit.map_or(twins.len(), |limit| from.saturating_add(limit as usize).min(twins.len()));
        Ok(ListPart::of_twins(&mut conn, &run, &twins[from..to], twins.len()).await?)
    };
    let ListPart { elements, total, notice } = permit.scope(app.answers.get(key, Duration::ZERO, read)).await?;
    note(&mut *db::checkout(&app.pool).await?, caller, &run, None, &conditions).await?;
    Ok(array(&notice, total).body(elements))
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
