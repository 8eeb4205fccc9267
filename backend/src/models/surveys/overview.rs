//! Surveys as lists show them: the row, its group's name, the number of questions, and the state of the latest run.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use simulation::status::Status;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Survey;
use crate::schema::surveys;

/// A condition on the rows of surveys.
pub type SurveyCondition = Box<dyn BoxableExpression<surveys::table, Pg, SqlType = Bool>>;

/// A survey, with its group and its latest run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, QueryableByName)]
#[schema(as = Survey)]
pub struct SurveyOverview {
    #[diesel(embed)]
    #[serde(flatten)]
    pub survey: Survey,
    #[diesel(embed)]
    pub group: GroupName,
    /// The latest run's state; null if there was none.
    #[diesel(sql_type = Nullable<Text>)]
    #[schema(value_type = Option<Status>)]
    pub simulation_status: Option<String>,
    /// When the latest run ended.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub simulation_completed_at: Option<DateTime<Utc>>,
    /// The latest run.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    #[serde(rename = "simulationId")]
    pub simulation_id: Option<Uuid>,
    /// Questions that take an answer.
    #[diesel(sql_type = BigInt)]
    #[serde(rename = "questionCount")]
    #[schema(example = 10)]
    pub question_count: i64,
}

/// The group that a survey belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, QueryableByName)]
#[schema(as = SurveyGroup)]
pub struct GroupName {
    #[diesel(sql_type = BigInt, column_name = group_ref)]
    #[schema(example = 3)]
    pub id: i64,
    #[diesel(sql_type = Text)]
    #[schema(example = "Behavioural Lab")]
    pub group_name: String,
}

const OVERVIEWS: &str = "
    SELECT s.id, s.title, s.description, s.group_id, g.id AS group_ref, g.group_name, s.user_id, s.visibility,
        run.status AS simulation_status, run.completed_at AS simulation_completed_at, run.simulation_id,
        s.is_locked OR run.status IS NOT NULL AS is_locked,
        (SELECT count(*) FROM questions q WHERE q.survey_id = s.id AND q.question_type <> 'INFO') AS question_count, s.created_at, s.updated_at
    FROM surveys s JOIN groups g ON g.id = s.group_id
        LEFT JOIN LATERAL (SELECT r.status, r.completed_at, r.simulation_id FROM simulations r
            WHERE r.survey_id = s.id ORDER BY r.created_at DESC, r.id DESC LIMIT 1) AS run ON true
    WHERE s.id = ANY($1) ORDER BY s.created_at DESC, s.id DESC";

/// Returns the overviews of the surveys with these ids, newest first.
async fn of_surveys(conn: &mut AsyncPgConnection, ids: Vec<i64>) -> QueryResult<Vec<SurveyOverview>> {
    sql_query(OVERVIEWS).bind::<Array<BigInt>, _>(ids).load(conn).await
}

/// Returns a page of the surveys that are not deleted, newest first, and how many there are.
pub async fn list(
    conn: &mut AsyncPgConnection,
    which: impl Fn() -> SurveyCondition,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<SurveyOverview>, i64)> {
    let wanted = || surveys::table.into_boxed().filter(surveys::deleted_at.is_null()).filter(which());
    let page = wanted().order((surveys::created_at.desc(), surveys::id.desc())).limit(limit).offset(offset);
    let ids = page.select(surveys::id).load(conn).await?;
    let rows = of_surveys(conn, ids).await?;
    let total = wanted().count().get_result(conn).await?;
    Ok((rows, total))
}

/// Returns one survey, deleted or not.
pub async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<SurveyOverview> {
    of_surveys(conn, vec![id]).await?.pop().ok_or(diesel::result::Error::NotFound)
}
