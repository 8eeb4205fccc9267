//! Comparison of the answers of a study's runs to the same questions.

pub mod csv;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use evidence::compare::Comparison;
use evidence::upload::ReservedColumns;
use serde::{Deserialize, Serialize};
use simulation::applied_rule::{AppliedRule, TestScope};
use simulation::items;
use simulation::plans::planned::PlannedAnalyses;
use simulation::run::Run;
use simulation::studies::{
    AnsweredRuns, FiguresOfRun, ItemRepeats, MAX_ANSWERS, PlannedComparison, StudyComparison, compare_with_reference,
    repeated,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::models::studies;
use crate::models::study_plans::{self, frozen, study_must_be_shown};
use crate::results::people;
use crate::results::runs;
use crate::work::Work;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ComparisonQuery {
    /// The run that the others are compared with. Without it: the first.
    #[param(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    pub(super) reference: Option<Uuid>,
}

/// A run of a study beside the reference.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunBesideReference {
    simulation_id: Uuid,
    #[serde(flatten)]
    figures: FiguresOfRun,
}

/// Runs that differ in nothing but their repeat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RepeatedRuns {
    simulation_ids: Vec<Uuid>,
    questions: Vec<ItemRepeats>,
}

/// The runs of a study beside one of them.
#[derive(Debug, Serialize, ToSchema)]
struct RunsCompared {
    reference: Uuid,
    /// Coverage of the intervals, 0 to 1.
    #[schema(example = 0.95)]
    level: f64,
    /// Bootstrap samples drawn over twins, and their seed.
    draws: usize,
    seed: i64,
    /// How the differences are called.
    rule: AppliedRule,
    /// All but the reference, in the order of the study.
    runs: Vec<RunBesideReference>,
    repeats: Vec<RepeatedRuns>,
    /// Notice to be shown with the figures.
    notice: String,
}

/// The runs of a study beside one of them: the same twins, asked otherwise
///
/// Every figure is of the same twins in both runs. `adjustedP` is p adjusted by `rule`: that of the study's frozen plan, else
/// Benjamini's and Hochberg's over the questions of each run. What each figure means: `docs/evidence.md`.
#[utoipa::path(
    get, path = "",
    params(ComparisonQuery),
    responses(
        (status = 200, description = "The figures, of the answers that are there", body = RunsCompared),
        (status = 409, description = "The study has too many answers"),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn compare_runs(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(query): Query<ComparisonQuery>,
) -> Result<HttpResponse> {
    Ok(HttpResponse::Ok().json(ComparedStudy::of(&app, &caller, *id, query).await?.shown()))
}

/// The figures of a study's runs.
struct ComparedStudy {
    /// The ids of all runs, in the order of the study.
    ids: Vec<Uuid>,
    reference: Uuid,
    compared: StudyComparison,
    groups: Vec<Vec<usize>>,
    rule: AppliedRule,
    notice: String,
}

impl ComparedStudy {
    async fn of(app: &App, caller: &Caller, id: Uuid, query: ComparisonQuery) -> Result<Self> {
        let mut conn = db::checkout(&app.pool).await?;
        let study = rules::study(&mut conn, caller, id, Right::See).await?;
        study_must_be_shown(&mut conn, study).await?;
        let plan = planned_analyses(&mut conn, study).await?;
        let mut runs = Vec::new();
        for found in studies::runs(&mut conn, study).await? {
            runs.push(runs::with_attributes(runs::load(&conn, found.id).await?, &mut conn).await?);
        }
        drop(conn);
        if runs.iter().map(|run| i64::from(run.rows())).sum::<i64>() > MAX_ANSWERS {
            let message = format!("The study has more than {MAX_ANSWERS} answers: compare two runs by `/compare`");
            return Err(ApiError::Conflict(message));
        }
        let ids: Vec<Uuid> = runs.iter().map(|run| run.facts.simulation_id).collect();
        let reference = place_of(&runs, query.reference)?;
        let permit = admit(app, caller.id, Work::Comparison)?.start().await;
        let parameters: Vec<_> = runs.iter().map(|run| &run.parameters).collect();
        let groups = repeated(&parameters);
        let rule = AppliedRule::of(plan.as_ref(), TestScope::StudyRuns);
        let planned = plan.and_then(|plan| PlannedComparison::new(plan, &parameters, reference));
        let asked = runs.first().map(|run| run.questions.as_slice()).unwrap_or_default();
        let mut answered = AnsweredRuns::new(items::items(asked));
        for run in &runs {
            answered.add(people::twins(&app.pool, run, &ReservedColumns::default()).await?.respondents);
        }
        let of_groups = groups.clone();
        let compare = move || compare_with_reference(&answered, reference, &of_groups, planned.as_ref());
        let compared = permit.blocking(compare).await?.map_err(ApiError::internal)?;
        Ok(Self {
            reference: ids.get(reference).copied().unwrap_or_default(),
            ids,
            compared,
            groups,
            rule,
            notice: runs.first().map(|run| run.notice.clone()).unwrap_or_default(),
        })
    }

    /// All runs but the reference.
    fn others(&self) -> impl Iterator<Item = (Uuid, &Comparison)> {
        self.ids.iter().zip(&self.compared.runs).filter_map(|(id, of)| Some((*id, of.as_ref()?)))
    }

    fn shown(self) -> RunsCompared {
        let run = |(id, of): (Uuid, &Comparison)| RunBesideReference {
            simulation_id: id,
            figures: FiguresOfRun::new(of.clone()),
        };
        let of_group = |(group, questions): (&Vec<usize>, &Vec<ItemRepeats>)| RepeatedRuns {
            simulation_ids: group.iter().filter_map(|place| self.ids.get(*place).copied()).collect(),
            questions: questions.clone(),
        };
        RunsCompared {
            reference: self.reference,
            level: self.compared.bootstrap.level,
            draws: self.compared.bootstrap.replicates,
            seed: self.compared.bootstrap.seed,
            rule: self.rule.clone(),
            runs: self.others().map(run).collect(),
            repeats: self.groups.iter().zip(&self.compared.repeats).map(of_group).collect(),
            notice: self.notice.clone(),
        }
    }
}

/// Analyses that the study's frozen plan names. `None`: the study has no frozen plan.
pub(super) async fn planned_analyses(conn: &mut AsyncPgConnection, study_id: i64) -> Result<Option<PlannedAnalyses>> {
    let Some(plan) = study_plans::of_study(conn, study_id).await? else { return Ok(None) };
    let Some(frozen) = frozen::of_plan(conn, plan.id).await? else { return Ok(None) };
    Ok(Some(PlannedAnalyses::new(frozen.content().map_err(ApiError::internal)?)))
}

/// The place of a run among those of a study; without one the first.
pub(super) fn place_of(runs: &[Run], wanted: Option<Uuid>) -> Result<usize> {
    let Some(wanted) = wanted else { return Ok(0) };
    let place = runs.iter().position(|run| run.facts.simulation_id == wanted);
    place.ok_or_else(|| ApiError::invalid("reference: it is no run of this study"))
}
