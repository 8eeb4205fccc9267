//! The answers of a run beside those of other runs.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use simulation::applied_rule::{AppliedRule, TestScope};
use simulation::plans::differences::is_planned_contrast;
use simulation::plans::planned::PlannedAnalyses;
use simulation::run::Run;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Address, about, run};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db::{self, AsyncPool};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::models::study_plans::planned;
use crate::models::study_plans::{self, must_be_shown};
use crate::models::summaries::{self, QuestionSummary, SummaryRequest, Twins};
use crate::results::group_tests::{self, TestedGroups};
use crate::results::matched::{AnsweredRun, QuestionInSimulations, RUN_NAMES, match_questions};
use crate::results::runs;
use crate::work::{self, Work};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OtherRuns {
    /// The ids of one to three other runs, with commas between them.
    #[param(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    others: String,
}

/// Runs side by side, question by question.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedSimulations {
    /// The runs that are called A, B, C and D.
    simulation_ids: Vec<Uuid>,
    /// How the runs are tested.
    rule: AppliedRule,
    /// The questions that A and another run asked, in A's order.
    questions: Vec<QuestionInSimulations>,
    /// Notice to be shown with the figures.
    notice: String,
}

/// The answers of a run beside those of other runs
///
/// Questions are matched by their type, options and text, or by texts that are alike. Each has the runs as its groups: how
/// far each lies from the first, and whether they differ. The runs are taken as different people: where they asked the
/// same twins, intervals are usually wider and p larger than need be. p is adjusted over all tests of the answer by Holm at
/// .05, or by the frozen plan of the study that all runs belong to.
#[utoipa::path(
    get, path = "",
    params(OtherRuns),
    responses(
        (status = 200, description = "The figures", body = ComparedSimulations),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn compare_simulations(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(others): Query<OtherRuns>,
) -> Result<HttpResponse> {
    let ids = others.ids()?;
    let mut conn = db::checkout(&app.pool).await?;
    let mut runs = vec![run(&mut conn, &caller, *path).await?];
    for id in ids {
        let seen = rules::simulation(&mut conn, &caller, id, Right::See).await?;
        must_be_shown(&mut conn, seen.id).await?;
        runs.push(runs::load(&conn, seen.id).await?);
    }
    drop(conn);
    let permit = admit(&app, caller.id, Work::Comparison)?.start().await;
    let compared = permit.scope(compared(&app.pool, runs)).await?;
    Ok(about(&compared.notice).json(compared))
}

impl OtherRuns {
    fn ids(&self) -> Result<Vec<Uuid>> {
        let read = |id: &str| {
            id.trim().parse().map_err(|_| ApiError::Invalid(format!("others: {} is no id of a simulation", id.trim())))
        };
        let ids: Vec<Uuid> =
            self.others.split(',').filter(|id| !id.trim().is_empty()).map(read).collect::<Result<_>>()?;
        if (1..RUN_NAMES.len()).contains(&ids.len()) {
            return Ok(ids);
        }
        Err(ApiError::invalid("others: name one to three other simulations"))
    }
}

async fn compared(pool: &AsyncPool, runs: Vec<Run>) -> Result<ComparedSimulations> {
    let mut conn = db::checkout(pool).await?;
    let answered = summarize(&mut conn, &runs).await?;
    let plan = common_plan(&mut conn, &runs).await?;
    drop(conn);
    Ok(work::blocking(move || compare(&runs, &answered, plan.as_ref())).await?)
}

async fn summarize(conn: &mut AsyncPgConnection, runs: &[Run]) -> Result<Vec<Vec<QuestionSummary>>> {
    let mut answered = Vec::new();
    for run in runs {
        let twins = Twins::load(conn, run.facts.id, &run.questions, std::iter::empty()).await?;
        let request = SummaryRequest::default();
        answered.push(summaries::of_run(conn, run.facts.id, &run.questions, &twins, &request).await?.questions);
    }
    Ok(answered)
}

/// Matches the questions of the runs and tests whether the runs differ.
fn compare(runs: &[Run], answered: &[Vec<QuestionSummary>], plan: Option<&PlannedAnalyses>) -> ComparedSimulations {
    let pairs = runs.iter().zip(answered);
    let sides: Vec<AnsweredRun<'_>> =
        pairs.map(|(run, summaries)| AnsweredRun { questions: &run.questions, summaries }).collect();
    let (questions, mut matched): (Vec<_>, Vec<QuestionInSimulations>) = match_questions(&sides).into_iter().unzip();
    let is_planned = plan.zip(runs.split_first()).is_some_and(|(plan, (first, others))| {
        others.iter().all(|run| is_planned_contrast(&plan.plan, &run.parameters, &first.parameters))
    });
    let tested = TestedGroups { by: None, plan, is_planned };
    let mut summaries: Vec<&mut QuestionSummary> = matched.iter_mut().map(|of| &mut of.summary).collect();
    group_tests::add(&mut summaries, &questions, tested);
    ComparedSimulations {
        simulation_ids: runs.iter().map(|run| run.facts.simulation_id).collect(),
        rule: AppliedRule::of(plan, TestScope::Groups),
        questions: matched,
        notice: runs.first().map(|run| run.notice.clone()).unwrap_or_default(),
    }
}

/// The frozen plan of the study that all runs belong to. `None`: there is none.
async fn common_plan(conn: &mut AsyncPgConnection, runs: &[Run]) -> Result<Option<PlannedAnalyses>> {
    let mut plans = Vec::new();
    for run in runs {
        plans.push(study_plans::of_run(conn, run.facts.id).await?.map(|plan| plan.id));
    }
    match (plans.first(), runs.first()) {
        (Some(Some(first)), Some(run)) if plans.iter().all(|plan| *plan == Some(*first)) => {
            Ok(planned::of_run(conn, run.facts.id).await?)
        }
        _ => Ok(None),
    }
}
