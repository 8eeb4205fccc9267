//! Deviations from frozen plans. Rows are only added; a reason is given once.

use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::plans::deviation::Deviation;
use simulation::plans::differences::PlanDifference;
use simulation::row::Simulation;
use simulation::summaries::variables::{TwinFilter, Variable};

use super::{PlanRefusal, StudyPlan, frozen, of_run};
use crate::schema::{deviations, groups, simulations, study_plans, surveys, users};

/// Upper limit of listed analyses of one kind by one person. One further entry says that there were more.
const MAX_ANALYSES: i64 = 100;
/// Length limit of an analysis' description in characters.
const MAX_ANALYSIS_CHARS: usize = 1_000;

/// The columns of a deviation, in the order of its fields.
#[auto_type]
fn columns() -> _ {
    (
        deviations::id,
        deviations::at,
        deviations::field,
        deviations::before,
        deviations::after,
        deviations::reason,
        deviations::reason_at,
    )
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
    pub fn new(plan_id: i64, who: Option<i64>, PlanDifference { field, before, after }: PlanDifference) -> Self {
        Self { plan_id, who, field, before, after }
    }

    /// Stores the deviation; a repetition stores nothing.
    pub async fn note(self, conn: &mut AsyncPgConnection) -> QueryResult<()> {
        diesel::insert_into(deviations::table).values(self).on_conflict_do_nothing().execute(conn).await.map(drop)
    }

    /// Stores an analysis as a deviation. After [`MAX_ANALYSES`] for its field by the same person, one further entry
    /// says that there were more.
    async fn note_bounded(mut self, conn: &mut AsyncPgConnection) -> QueryResult<()> {
        let of_field = deviations::table
            .filter(deviations::plan_id.eq(self.plan_id))
            .filter(deviations::field.eq(self.field.clone()));
        let is_noted = of_field.clone().filter(deviations::after.eq(self.after.clone()));
        if diesel::select(diesel::dsl::exists(is_noted)).get_result(conn).await? {
            return Ok(());
        }
        conn.transaction(async |conn| {
            // The lock makes parallel calls wait, so that each counts those before it.
            let plan = study_plans::table.find(self.plan_id).select(study_plans::id);
            plan.for_no_key_update().first::<i64>(conn).await?;
            let noted: i64 = of_field.filter(deviations::who.eq(self.who)).count().get_result(conn).await?;
            if noted >= MAX_ANALYSES {
                self.after = Some(format!("others, which are not listed, beyond {MAX_ANALYSES} of one person"));
            }
            self.note(conn).await
        })
        .await
    }
}

/// The deviations from a plan, oldest first, with the name of the person behind each.
pub async fn list(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<Vec<(Deviation, Option<String>)>> {
    deviations::table
        .left_join(users::table.on(users::id.nullable().eq(deviations::who)))
        .filter(deviations::plan_id.eq(plan_id))
        .order(deviations::id)
        .select((columns(), users::name.nullable()))
        .load(conn)
        .await
}

pub async fn count(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<i64> {
    deviations::table.filter(deviations::plan_id.eq(plan_id)).count().get_result(conn).await
}

/// Gives the reason of a deviation. The database also refuses a second reason.
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
    if frozen::of_plan(conn, plan.id).await?.is_none() {
        return Ok(());
    }
    let id = run.simulation_id.to_string();
    let (short, answered, asked) = (&id[id.len() - 8..], run.successful_requests, run.total_requests);
    let after = format!("run {short} was stopped after {answered} of {asked} answers");
    let stop = PlanDifference::new("run: stopped", Some("runs to its end".to_owned()), Some(after));
    NewDeviation::new(plan.id, None, stop).note(conn).await
}

/// An analysis of a run that its study's frozen plan may not contain.
#[derive(Clone, Copy, Debug)]
pub enum ExtraAnalysis<'a> {
    /// Only twins that fulfil these conditions are analysed.
    Exclusion(&'a TwinFilter),
    /// Groups by this variable are compared.
    Groups(&'a Variable),
    /// The twins are compared with people from a file.
    People,
}

impl ExtraAnalysis<'_> {
    /// Returns the deviation; `None`: the plan contains the analysis.
    fn beyond(self, plan: &StudyPlan) -> Option<PlanDifference> {
        let (field, after) = match self {
            Self::Exclusion(filter) => ("exclusions", format!("only twins with {}", listed(&filter.conditions()))),
            Self::Groups(by) => {
                let by = by.to_string();
                if plan.document().is_ok_and(|document| document.plans_groups(&by)) {
                    return None;
                }
                ("analysis", format!("groups by {by}"))
            }
            Self::People => ("analysis", "comparison with people of a file".to_owned()),
        };
        Some(PlanDifference::new(field, None, Some(after)))
    }
}

/// The conditions as one text, shortened if they are many.
fn listed(conditions: &[String]) -> String {
    let all = conditions.join("; ");
    match all.char_indices().nth(MAX_ANALYSIS_CHARS) {
        None => all,
        Some((end, _)) => format!("{}… ({} conditions)", &all[..end], conditions.len()),
    }
}

/// Notes an analysis of a run whose study has a frozen plan, if `who` is the author of the survey or the owner of its
/// group. `None`: a caller for whom nothing may be written.
pub async fn note_analysis(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    who: Option<i64>,
    analysis: ExtraAnalysis<'_>,
) -> QueryResult<()> {
    let Some(who) = who else { return Ok(()) };
    let Some(plan) = of_run(conn, simulation_id).await? else { return Ok(()) };
    let Some(difference) = analysis.beyond(&plan) else { return Ok(()) };
    if frozen::of_plan(conn, plan.id).await?.is_none() || !answers_for(conn, simulation_id, who).await? {
        return Ok(());
    }
    let deviation = NewDeviation::new(plan.id, Some(who), difference);
    match analysis {
        ExtraAnalysis::People => deviation.note(conn).await,
        ExtraAnalysis::Exclusion(_) | ExtraAnalysis::Groups(_) => deviation.note_bounded(conn).await,
    }
}

/// Whether the run is of the user's survey, or of a group that the user owns.
async fn answers_for(conn: &mut AsyncPgConnection, simulation_id: i64, user_id: i64) -> QueryResult<bool> {
    let runs = simulations::table
        .inner_join(surveys::table.on(surveys::id.eq(simulations::survey_id)))
        .inner_join(groups::table.on(groups::id.eq(surveys::group_id)))
        .filter(simulations::id.eq(simulation_id))
        .filter(surveys::user_id.eq(user_id).or(groups::owner_id.eq(user_id)));
    diesel::select(diesel::dsl::exists(runs.select(simulations::id))).get_result(conn).await
}
