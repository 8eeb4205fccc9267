//! The caller's surveys, and new ones.

use actix_web::HttpResponse;
use actix_web::web::Data;
use diesel::{BoolExpressionMethods, ExpressionMethods};
use diesel_async::AsyncConnection;
use serde::Deserialize;
use survey::flow::Design;
use utoipa::ToSchema;

use super::{description, title};
use crate::app::App;
use crate::auth::rules::{self, Caller, SeenSurveys};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Json, Query};
use crate::http::page::{Page, PageQuery};
use crate::models::survey_file::ValidSurvey;
use crate::models::surveys::changes::Changes;
use crate::models::surveys::overview::{self, SurveyCondition, SurveyOverview};
use crate::models::surveys::{NewSurvey, Visibility};
use crate::schema::surveys;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct SurveyQuery {
    /// Adds the surveys of others that the caller sees: the public ones of their groups, and all of the groups that they own.
    #[serde(default)]
    #[param(example = false)]
    shared: bool,
    /// Only the surveys of this group.
    #[param(example = 3)]
    group_id: Option<i64>,
}

/// The caller's surveys, newest first
#[utoipa::path(
    get, path = "",
    params(SurveyQuery, PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<SurveyOverview>))
)]
pub async fn my_surveys(
    app: Data<App>,
    caller: Caller,
    Query(filter): Query<SurveyQuery>,
    page: PageQuery,
) -> Result<Page<SurveyOverview>> {
    let mut conn = db::checkout(&app.pool).await?;
    let seen = match filter.shared {
        true => SeenSurveys::load(&mut conn, &caller).await?,
        false => SeenSurveys::by(&caller),
    };
    let which = || -> SurveyCondition {
        match filter.group_id {
            Some(group) => Box::new(seen.condition().and(surveys::group_id.eq(group))),
            None => seen.condition(),
        }
    };
    let (rows, total) = overview::list(&mut conn, which, page.limit, page.offset).await?;
    Ok(Page { rows, total })
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SurveyToCreate {
    /// Not blank.
    #[serde(default)]
    #[schema(example = "Everyday choices", value_type = String, min_length = 1, max_length = 500, pattern = r"\S", required = true)]
    title: Option<String>,
    #[serde(default)]
    #[schema(example = "A pretest of ten questions", max_length = 10_000)]
    description: Option<String>,
    /// A group that the caller is an active member of.
    #[serde(default, alias = "group_id")]
    #[schema(example = 3, value_type = i64, required = true)]
    group_id: Option<i64>,
    /// `PRIVATE` without it.
    #[serde(default)]
    visibility: Option<Visibility>,
}

/// Creates a survey without questions
#[utoipa::path(
    post, path = "",
    responses(
        (status = 201, description = "The new survey", body = SurveyOverview),
        (status = 404, description = "No such group, or none that the caller sees"),
        (status = 409, description = "The group is closed")
    )
)]
pub async fn create_survey(app: Data<App>, caller: Caller, Json(new): Json<SurveyToCreate>) -> Result<HttpResponse> {
    const MISSING: &str = "Title and group are required";
    caller.must_have_surveys()?;
    let content = ValidSurvey {
        title: title(None, &new.title.unwrap_or_default(), MISSING)?,
        description: description(&new.description.unwrap_or_default())?,
        questions: Vec::new(),
        design: Design::default(),
        import: None,
    };
    let group_id = new.group_id.ok_or_else(|| ApiError::invalid(MISSING))?;
    let visibility = new.visibility.map(Visibility::as_str);
    let mut conn = db::checkout(&app.pool).await?;
    rules::membership(&mut conn, &caller, group_id).await?;
    let created = conn
        .transaction(async |conn| {
            let new = NewSurvey { user_id: caller.id, group_id, content: &content };
            let (survey, _) = new.create(conn).await?;
            if visibility.is_some() {
                Changes { visibility, ..Changes::default() }.make(conn, survey.id).await?;
            }
            Ok::<_, ApiError>(overview::find(conn, survey.id).await?)
        })
        .await?;
    Ok(HttpResponse::Created().json(created))
}
