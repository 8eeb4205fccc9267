//! The caller's runs, and the twins that a run may ask.

use actix_web::web::Data;
use diesel::ExpressionMethods;
use serde::Deserialize;
use simulation::status::Status;

use crate::app::App;
use crate::auth::rules::{self, Caller};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::http::page::{Page, PageQuery};
use crate::models::personas::{self, PersonaName};
use crate::models::simulations::overview::{self, SimulationCondition, SimulationOverview};
use crate::schema::simulations;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct SimulationQuery {
    /// Only the runs of this survey.
    #[param(example = 12)]
    survey_id: Option<i64>,
    /// Only the runs in this group: for its owner those of all members.
    #[param(example = 3)]
    group_id: Option<i64>,
    /// Only runs in this state.
    #[param(inline, example = "COMPLETED")]
    status: Option<Status>,
}

/// The caller's runs, newest first; a super admin's are everybody's
#[utoipa::path(
    get, path = "",
    params(SimulationQuery, PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Vec<SimulationOverview>),
        (status = 404, description = "No such group, or none that the caller sees")
    )
)]
pub async fn list_simulations(
    app: Data<App>,
    caller: Caller,
    Query(filter): Query<SimulationQuery>,
    page: PageQuery,
) -> Result<Page<SimulationOverview>> {
    let SimulationQuery { survey_id, group_id, status } = filter;
    let mut conn = db::checkout(&app.pool).await?;
    let user_id = rules::runs_of(&mut conn, &caller, group_id).await?;
    let which = || -> SimulationCondition {
        match user_id {
            Some(user) => Box::new(simulations::user_id.eq(user)),
            None => Box::new(simulations::id.is_not_null()),
        }
    };
    let filter = overview::SimulationFilter { survey_id, group_id, status };
    let (rows, total) = overview::list(&mut conn, which, filter, page.limit, page.offset).await?;
    Ok(Page { rows, total })
}

/// The twins that a run may ask, by id
#[utoipa::path(
    get, path = "",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<PersonaName>))
)]
pub async fn available_personas(app: Data<App>, _: Caller, page: PageQuery) -> Result<Page<PersonaName>> {
    let (rows, total) = personas::names(&mut *db::checkout(&app.pool).await?, page.limit, page.offset).await?;
    Ok(Page { rows, total })
}
