//! A run's answers in free words.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;

use super::conditions::{self, Conditions};
use super::{Address, about, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::http::page::PageQuery;
use crate::models::summaries::texts::{self, Sought, Texts};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asked {
    /// A question that is answered in free words.
    #[param(example = 34)]
    #[serde(rename = "questionId")]
    question_id: i64,
    /// Only answers that contain this, whatever its case.
    #[param(example = "cheap")]
    #[serde(default)]
    q: String,
    /// How many in each group of twins, too: by an attribute, or by what they chose at a choice or yes/no question, as
    /// `question:31`.
    #[param(example = "Gender")]
    by: Option<String>,
}

/// The answers to a question in free words
///
/// Equal answers are counted together, the commonest first. With `where`, of the twins that pass it alone.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/texts", tag = "Answers",
    operation_id = "list_texts",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Asked, PageQuery, Conditions),
    responses((
        status = 200,
        description = "A page of them",
        body = Texts,
        headers(("X-Notice" = String, description = "What nobody may read the answers without knowing"))
    ))
)]
pub async fn texts(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(asked): Query<Asked>,
    page: PageQuery,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, &caller, *path).await?;
    let questions = &run.survey.questions;
    let question = questions.iter().find(|question| question.id == asked.question_id);
    if !question.is_some_and(|question| question.is_text()) {
        let message = format!("questionId: the run has no question {} in free words", asked.question_id);
        return Err(ApiError::Invalid(message));
    }
    let by = asked.by.filter(|by| !by.is_empty());
    let (twins, wanted, _) = conditions::wanted(&mut conn, &run, by.as_deref(), &conditions).await?;
    let sought = Sought { question_id: asked.question_id, words: asked.q, limit: page.limit, offset: page.offset };
    let found: Texts = texts::of_question(&mut conn, run.facts.id, questions, &twins, &wanted, &sought).await?;
    Ok(about(&run.notice).json(found))
}
