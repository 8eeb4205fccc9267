//! A run's answers in figures.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Address, about, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::models::summaries::{self, QuestionSummary};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Crosstab {
    /// An attribute of the twins, one of `attributes` of the answer: figures for the twins of each of its values too.
    #[param(example = "Gender")]
    by: Option<String>,
}

/// What a run's answers say.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ResponsesSummary {
    #[schema(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    simulation_id: String,
    /// The attribute of the groups.
    #[schema(example = "Gender")]
    by: Option<String>,
    /// What `by` can be: the twins' attributes with at most 100 different values.
    #[schema(example = json!(["Age", "Gender"]))]
    attributes: Vec<String>,
    /// In survey order.
    questions: Vec<QuestionSummary>,
    /// What nobody may read the figures without knowing.
    #[schema(example = "demo model: not from a language model")]
    notice: String,
    /// The run is not over, or was stopped: these are its answers so far.
    partial: bool,
}

/// What a run's answers say, question by question
///
/// Of stored answers only. n: twins who answered. share: count / n, so that of a multiple choice the shares of all
/// options may add up to more than 1. Numbers: mean = Σx / n, sd = √(Σ(x − mean)² / (n − 1)), and bins. Matrix: the
/// same for each row, where the mean takes the first label of the scale as 1, the second as 2. Free text: n and the
/// answers of the first 20 twins. With `by`, groups has the same for the twins of each value of an attribute.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/summary", tag = "Answers",
    operation_id = "summarize_answers",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Crosstab),
    responses((
        status = 200,
        description = "The figures",
        body = ResponsesSummary,
        headers(("X-Notice" = String, description = "What nobody may read the answers without knowing"))
    ))
)]
pub async fn summary(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(crosstab): Query<Crosstab>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, &caller, *path).await?;
    let attributes = summaries::attributes(&mut conn, run.facts.id).await?;
    let by = crosstab.by.filter(|by| !by.is_empty());
    if by.as_ref().is_some_and(|by| !attributes.contains(by)) {
        let known = attributes.join(", ");
        return Err(ApiError::Invalid(format!("by must be an attribute with at most 100 values: {known}")));
    }
    let questions = &run.survey.questions;
    let questions = summaries::of_run(&mut conn, run.facts.id, questions, by.as_deref()).await?;
    Ok(about(&run.notice).json(ResponsesSummary {
        simulation_id: run.simulation_id.clone(),
        by,
        attributes,
        questions,
        notice: run.notice.clone(),
        partial: run.partial().is_some(),
    }))
}
