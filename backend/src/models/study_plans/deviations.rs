//! What was done otherwise than planned. Rows are only added; a reason is given once.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};

use super::differences::PlanDifference;
use super::{PlanRefusal, StudyPlan, freeze, of_run};
use crate::models::simulations::Simulation;
use crate::schema::{deviations, users};

/// Analyses that are noted of one plan: whoever calls for ever new ones fills no disk.
const MAX_ANALYSES: i64 = 500;

#[derive(Clone, Debug, Queryable, Selectable, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[diesel(table_name = deviations, check_for_backend(diesel::pg::Pg))]
pub struct Deviation {
    pub id: i64,
    pub at: DateTime<Utc>,
    pub field: String,
    /// `None`: it was not there.
    pub before: Option<String>,
    pub after: Option<String>,
    pub reason: Option<String>,
    pub reason_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = deviations)]
pub(super) struct NewDeviation {
    plan_id: i64,
    who: Option<i64>,
    field: String,
    before: Option<String>,
    after: Option<String>,
}

impl NewDeviation {
    pub fn of(plan_id: i64, who: Option<i64>, PlanDifference { field, before, after }: PlanDifference) -> Self {
        Self { plan_id, who, field, before, after }
    }

    /// Once, however often it happens.
    pub async fn note(self, conn: &mut AsyncPgConnection) -> QueryResult<()> {
        diesel::insert_into(deviations::table).values(self).on_conflict_do_nothing().execute(conn).await.map(drop)
    }
}

/// Of a plan, in the order in which they came, with the names of who did it.
pub async fn list(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<Vec<(Deviation, Option<String>)>> {
    deviations::table
        .left_join(users::table.on(users::id.nullable().eq(deviations::who)))
        .filter(deviations::plan_id.eq(plan_id))
        .order(deviations::id)
        .select((Deviation::as_select(), users::name.nullable()))
        .load(conn)
        .await
}

pub async fn count(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<i64> {
    deviations::table.filter(deviations::plan_id.eq(plan_id)).count().get_result(conn).await
}

/// Says why. The database refuses a second reason, too.
pub async fn give_reason(conn: &mut AsyncPgConnection, plan_id: i64, id: i64, reason: &str) -> Result<(), PlanRefusal> {
    let deviation = deviations::table.find(id).filter(deviations::plan_id.eq(plan_id));
    let given = diesel::update(deviation.filter(deviations::reason.is_null()))
        .set((deviations::reason.eq(reason), deviations::reason_at.eq(diesel::dsl::now)))
        .execute(conn)
        .await?;
    if given == 1 {
        return Ok(());
    }
    let is_there = diesel::select(diesel::dsl::exists(deviation)).get_result(conn).await?;
    Err(if is_there { PlanRefusal::HasReason } else { PlanRefusal::NotFound })
}

/// Notes that a run whose study has a frozen plan ended before all its requests were answered.
pub async fn note_stop(conn: &mut AsyncPgConnection, run: &Simulation) -> QueryResult<()> {
    let Some(plan) = of_run(conn, run.id).await? else { return Ok(()) };
    if freeze::of_plan(conn, plan.id).await?.is_none() {
        return Ok(());
    }
    let id = run.simulation_id.to_string();
    let (short, answered, asked) = (&id[id.len() - 8..], run.successful_requests, run.total_requests);
    let after = format!("run {short} was stopped after {answered} of {asked} answers");
    let stop = PlanDifference::new("run: stopped", Some("runs to its end".to_owned()), Some(after));
    NewDeviation::of(plan.id, None, stop).note(conn).await
}

/// What an analysis of a run does that its study's frozen plan may not know.
#[derive(Clone, Copy, Debug)]
pub enum ExtraAnalysis<'a> {
    /// Only twins that fulfil these conditions count.
    Exclusion(&'a str),
    /// Groups are compared by this.
    Groups(&'a str),
    /// The twins are set beside people of a file.
    People,
}

impl ExtraAnalysis<'_> {
    /// `None`: the plan has it.
    fn beyond(self, plan: &StudyPlan) -> Option<PlanDifference> {
        let (field, after) = match self {
            Self::Exclusion(conditions) => ("exclusions", format!("only twins with {conditions}")),
            Self::Groups(by) if plan.document().is_ok_and(|document| document.plans_groups(by)) => return None,
            Self::Groups(by) => ("analysis", format!("groups by {by}")),
            Self::People => ("analysis", "comparison with people of a file".to_owned()),
        };
        Some(PlanDifference::new(field, None, Some(after)))
    }
}

/// Notes an analysis of a run whose study has a frozen plan.
pub async fn note_analysis(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    who: i64,
    analysis: ExtraAnalysis<'_>,
) -> QueryResult<()> {
    let Some(plan) = of_run(conn, simulation_id).await? else { return Ok(()) };
    let Some(difference) = analysis.beyond(&plan) else { return Ok(()) };
    if freeze::of_plan(conn, plan.id).await?.is_none() || count(conn, plan.id).await? >= MAX_ANALYSES {
        return Ok(());
    }
    NewDeviation::of(plan.id, Some(who), difference).note(conn).await
}
