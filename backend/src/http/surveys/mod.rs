//! Surveys: lists, single surveys, questions, files, and the state of their runs.

pub mod design;
pub mod files;
pub mod import;
pub mod list;
pub mod preview;
pub mod questions;
pub mod renaming;
pub mod runs;
pub mod survey;
pub mod trial;

use ::survey::document::{MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH};
use ::survey::question::{Question, clean};
use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::{ApiError, Result};
use super::names;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db::{self, Checkout};
use crate::models::questions::of_survey;
use crate::models::surveys::overview::{self, SurveyOverview};

/// A survey with its questions.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct SurveyWithQuestions {
    #[serde(flatten)]
    survey: SurveyOverview,
    /// Questions in the survey's order.
    questions: Vec<Question>,
}

impl SurveyWithQuestions {
    async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Self> {
        let questions = of_survey(conn, id).await?;
        Ok(Self { survey: overview::find(conn, id).await?, questions })
    }
}

/// The trimmed title of a survey whose title was `before`. Refuses a blank one, and a new one that mails may not hold.
fn title(before: Option<&str>, text: &str, missing: &str) -> Result<String> {
    let title = clean(text, MAX_TITLE_LENGTH).map_err(|reason| ApiError::Invalid(format!("title: {reason}")))?;
    if title.is_empty() {
        return Err(ApiError::invalid(missing));
    }
    names::check_change("title", before, &title)?;
    Ok(title)
}

fn description(text: &str) -> Result<String> {
    clean(text, MAX_DESCRIPTION_LENGTH).map_err(|reason| ApiError::Invalid(format!("description: {reason}")))
}

/// A connection for the owner of the survey.
async fn for_owner(app: &App, caller: &Caller, survey_id: i64) -> Result<Checkout> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, caller, survey_id, Right::Own).await?;
    Ok(conn)
}
