//! Runs as lists show them, without the frozen survey, which may be long.

use chrono::{DateTime, Utc};
use diesel::dsl::{auto_type, sql};
use diesel::expression::SqlLiteral;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use simulation::parameters::Parameters;
use simulation::status::Status;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::schema::{groups, simulation_names, simulations, studies, study_runs, surveys, users};

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, Queryable, Selectable)]
#[diesel(table_name = simulations, check_for_backend(Pg))]
#[schema(as = Simulation)]
pub struct SimulationOverview {
    #[schema(example = 17)]
    pub id: i64,
    /// Id by which every call names the run.
    #[serde(rename = "simulationId")]
    pub simulation_id: Uuid,
    #[serde(rename = "surveyId")]
    #[schema(example = 12)]
    pub survey_id: i64,
    #[diesel(select_expression = surveys::title)]
    #[serde(rename = "surveyTitle")]
    #[schema(example = "Everyday choices")]
    pub survey_title: String,
    /// Name of the run; null if it has none.
    #[diesel(select_expression = simulation_names::name.nullable())]
    #[schema(example = "Pilot of the wording")]
    pub name: Option<String>,
    /// Note about the run.
    #[diesel(select_expression = simulation_names::note.nullable())]
    #[schema(example = json!(null))]
    pub note: Option<String>,
    /// Study that the run belongs to; null if it was started alone.
    #[diesel(select_expression = studies::study_id.nullable())]
    #[serde(rename = "studyId")]
    #[schema(example = json!(null))]
    pub study_id: Option<Uuid>,
    /// User who started the run and pays for it.
    #[serde(rename = "userId")]
    #[schema(example = 7)]
    pub user_id: i64,
    /// Name of that user; null if it is not known.
    #[diesel(select_expression = users::name)]
    #[serde(rename = "startedBy")]
    #[schema(example = "Ada Lovelace")]
    pub started_by: Option<String>,
    #[serde(rename = "groupId")]
    #[schema(example = 3)]
    pub group_id: i64,
    #[diesel(select_expression = groups::group_name)]
    #[serde(rename = "groupName")]
    #[schema(example = "Behavioural Lab")]
    pub group_name: String,
    pub status: Status,
    /// Number of the pass: 1 for the first one; every retry of failed requests adds one.
    #[schema(example = 1)]
    pub attempt: i32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    #[serde(rename = "startedAt")]
    pub started_at: Option<DateTime<Utc>>,
    #[serde(rename = "completedAt")]
    pub completed_at: Option<DateTime<Utc>>,
    /// Why it is paused, or how many requests failed and the most frequent cause.
    #[serde(rename = "errorMessage")]
    #[schema(example = "3 of 1000 requests failed; most often: the model refused to answer")]
    pub error_message: Option<String>,
    #[diesel(column_name = persona_count)]
    #[serde(rename = "personaCount")]
    #[schema(example = 100)]
    pub persona_count: i32,
    #[diesel(column_name = question_count)]
    #[serde(rename = "totalQuestions")]
    #[schema(example = 10)]
    pub total_questions: i32,
    /// `personaCount × totalQuestions`; in a survey with a design the requests that the twins' assignments can reach.
    #[diesel(select_expression = total(), select_expression_type = SqlLiteral<Integer>)]
    #[serde(rename = "totalRequests")]
    #[schema(example = 1000)]
    pub total_requests: i32,
    #[serde(rename = "successfulRequests")]
    #[schema(example = 997)]
    pub successful_requests: i32,
    #[serde(rename = "failedRequests")]
    #[schema(example = 3)]
    pub failed_requests: i32,
    /// Requests that the survey's logic did not show and that cost nothing; 0 in a plain survey.
    #[diesel(select_expression = skipped(), select_expression_type = SqlLiteral<Integer>)]
    #[serde(rename = "skippedRequests")]
    #[schema(example = 0)]
    pub skipped_requests: i32,
    /// Whether the built-in demo model answered instead of a language model.
    #[serde(rename = "demoModel")]
    pub demo_model: bool,
    /// Parameters, frozen at the start.
    #[schema(value_type = Parameters)]
    pub parameters: serde_json::Value,
}

fn skipped() -> SqlLiteral<Integer> {
    sql("coalesce((SELECT d.skipped FROM simulation_designs d WHERE d.simulation_id = simulations.id), 0)")
}

/// Requests including those that were not shown, which the row does not count.
fn total() -> SqlLiteral<Integer> {
    sql("simulations.total_requests
        + coalesce((SELECT d.skipped FROM simulation_designs d WHERE d.simulation_id = simulations.id), 0)")
}

/// A condition on the rows of runs.
pub type SimulationCondition = Box<dyn BoxableExpression<simulations::table, Pg, SqlType = Bool>>;

/// Filter of a list; `None` lets everything pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulationFilter {
    pub survey_id: Option<i64>,
    pub group_id: Option<i64>,
    pub status: Option<Status>,
}

/// Selects runs with the names of their survey, starter and group.
#[auto_type]
fn named() -> _ {
    simulations::table
        .inner_join(surveys::table)
        .inner_join(users::table.on(users::id.eq(simulations::user_id)))
        .inner_join(groups::table.on(groups::id.eq(simulations::group_id)))
        .left_join(simulation_names::table)
        .left_join(study_runs::table.inner_join(studies::table))
}

/// Returns a page of runs, newest first, and how many there are.
pub async fn list(
    conn: &mut AsyncPgConnection,
    which: impl Fn() -> SimulationCondition,
    filter: SimulationFilter,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<SimulationOverview>, i64)> {
    let wanted = || {
        let mut wanted = simulations::table.filter(which()).into_boxed::<Pg>();
        if let Some(survey) = filter.survey_id {
            wanted = wanted.filter(simulations::survey_id.eq(survey));
        }
        if let Some(group) = filter.group_id {
            wanted = wanted.filter(simulations::group_id.eq(group));
        }
        if let Some(status) = filter.status {
            wanted = wanted.filter(simulations::status.eq(status.as_str()));
        }
        wanted
    };
    let ids: Vec<i64> = wanted()
        .order((simulations::created_at.desc(), simulations::id.desc()))
        .limit(limit)
        .offset(offset)
        .select(simulations::id)
        .load(conn)
        .await?;
    let total = wanted().count().get_result(conn).await?;
    let rows = named()
        .filter(simulations::id.eq_any(ids))
        .order((simulations::created_at.desc(), simulations::id.desc()))
        .select(SimulationOverview::as_select())
        .load(conn)
        .await?;
    Ok((rows, total))
}

pub async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<SimulationOverview> {
    named().filter(simulations::id.eq(id)).select(SimulationOverview::as_select()).first(conn).await
}

/// Returns up to `most` active runs of a user, or of all users, oldest first.
pub async fn active(conn: &mut AsyncPgConnection, user_id: Option<i64>, most: i64) -> QueryResult<Vec<i64>> {
    let active = simulations::table
        .filter(simulations::status.eq_any(["PENDING", "QUEUED", "RUNNING", "PAUSED"]))
        .order(simulations::id)
        .limit(most)
        .select(simulations::id)
        .into_boxed::<Pg>();
    match user_id {
        Some(user) => active.filter(simulations::user_id.eq(user)).load(conn).await,
        None => active.load(conn).await,
    }
}
