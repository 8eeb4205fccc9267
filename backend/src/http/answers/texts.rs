//! A run's answers in free words.

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Bytes, Data, Path};
use serde::Deserialize;
use simulation::run::Run;

use super::conditions::{self, Conditions};
use super::{Address, about, freshness, note, run, version};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::http::page::PageQuery;
use crate::models::summaries::texts::{self, TextQuery, Texts};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TextsQuery {
    /// A question that is answered in free words.
    #[param(example = 34)]
    #[serde(rename = "questionId")]
    question_id: i64,
    /// Only answers that contain this, whatever its case.
    #[param(example = "cheap")]
    #[serde(default)]
    q: String,
    /// Only answers of this theme, one of `themes` of the answer.
    #[param(example = "bus")]
    theme: Option<String>,
    /// How many in each group of twins, too: by an attribute, or by their answers to another question, as in the summary.
    #[param(example = "Gender")]
    by: Option<String>,
    /// Only answers of this group of `by`.
    #[param(example = "Female")]
    group: Option<String>,
}

/// The answers to a question in free words
///
/// Equal answers are counted together, the commonest first. All answers are grouped by the words that they share
/// (`themes`): the word, or pair of words side by side, that most answers share names a theme and takes these answers; the
/// others are counted anew, until no two share a word. Case, punctuation and common words such as `the` do not count. With
/// `where`, of the twins that pass it alone.
#[utoipa::path(
    get, path = "", operation_id = "list_texts",
    params(TextsQuery, PageQuery, Conditions),
    responses((status = 200, description = "A page of them", body = Texts))
)]
pub async fn texts(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(asked): Query<TextsQuery>,
    page: PageQuery,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let run = run(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let (by, only) = (asked.by.clone(), conditions.clone());
    let answer = found(&app, &run, asked, page, conditions).await?;
    if by.is_some() || !only.conditions.is_empty() {
        note(&mut *db::checkout(&app.pool).await?, &caller, &run, by.as_deref(), &only).await?;
    }
    Ok(answer)
}

/// The answer of [`texts()`] for a run that the caller may see.
pub async fn found(
    app: &App,
    run: &Run,
    asked: TextsQuery,
    page: PageQuery,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let TextsQuery { question_id, q: words, theme, by, group } = asked;
    let question = run.questions.iter().find(|question| question.id == question_id);
    if !question.is_some_and(|question| question.is_text()) {
        let message = format!("questionId: the run has no question {question_id} in free words");
        return Err(ApiError::Invalid(message));
    }
    let named = |name: Option<String>| name.filter(|name| !name.is_empty());
    let (by, theme, group) = (named(by), named(theme), named(group));
    if group.is_some() && by.is_none() {
        return Err(ApiError::Invalid("group: needs by, which makes the groups".to_owned()));
    }
    let query = TextQuery { question_id, words, theme, group, limit: page.limit, offset: page.offset };
    let key = (version(run), query.clone(), by.clone(), conditions.conditions.clone());
    let read = async || {
        let conn = &mut *db::checkout(&app.pool).await?;
        let (twins, wanted, _) = conditions::wanted(conn, run, by.as_deref(), &conditions).await?;
        let found = texts::of_question(conn, run.facts.id, &twins, &wanted, &query).await?;
        let json = serde_json::to_vec(&found).map_err(ApiError::internal)?;
        Result::<_, ApiError>::Ok(Bytes::from(json))
    };
    let json = app.texts.get(key, freshness(run), read).await?;
    Ok(about(&run.notice).content_type(ContentType::json()).body(json))
}
