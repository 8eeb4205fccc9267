//! What the runs of a study make of the same questions.

pub mod csv;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use evidence::compare::{Comparison, ItemComparison};
use evidence::upload::Special;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::answers::figures::{Figure, MetricFigure, ends};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::models::simulations::Parameters;
use crate::models::studies;
use crate::models::study_plans::differences::is_planned_contrast;
use crate::models::study_plans::planned::{AnalysisKind, PlannedAnalyses};
use crate::models::study_plans::{self, freeze, study_must_be_shown};
use crate::results::people::{self, samples};
use crate::results::run::Run;
use crate::results::studies::{AnsweredRuns, ItemRepeats, MAX_ANSWERS, beside, repeated};
use crate::work::Work;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ComparisonQuery {
    /// The run that the others are compared with. Without it: the first.
    #[param(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    pub(super) reference: Option<Uuid>,
}

/// An option of a question with several answers.
#[derive(Debug, Serialize, ToSchema)]
struct OptionShares {
    #[schema(example = "Tea")]
    label: String,
    /// Shares, 0 to 1.
    reference: f64,
    run: f64,
    /// The run's share less the reference's.
    difference: Figure,
}

/// A question, or a row of a matrix, in a run and in the reference.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QuestionInRuns {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// Twins that answered it in both.
    twins: usize,
    mean_reference: Option<f64>,
    mean_run: Option<f64>,
    /// The run's mean less the reference's, over the twins of both; null where there are no means.
    difference: Option<f64>,
    /// Null, too, where all twins differ by the same.
    low: Option<f64>,
    high: Option<f64>,
    /// Of the difference of means, or of shares where there are no means.
    p: Option<f64>,
    /// p by Benjamini and Hochberg over the run's questions.
    q: Option<f64>,
    /// Whether the study's frozen plan names both the question and the contrast of the runs as primary; null: there is no
    /// frozen plan.
    analysis: Option<AnalysisKind>,
    /// `exact` is the share of twins with the same answer in both, `TVD` how far the distributions are apart.
    metrics: Vec<MetricFigure>,
    options: Vec<OptionShares>,
}

/// A study's frozen plan, and whether it sets a run and the reference beside each other.
type Planned<'a> = Option<(&'a PlannedAnalyses, bool)>;

impl QuestionInRuns {
    fn new(of: &ItemComparison, planned: Planned<'_>) -> Self {
        let (low, high) = ends(of.difference.map(|difference| difference.interval));
        let option = |option: &evidence::compare::OptionShare| OptionShares {
            label: option.label.clone(),
            reference: option.people,
            run: option.twins,
            difference: Figure::from(&option.difference),
        };
        Self {
            name: of.name.clone(),
            text: of.text.clone(),
            twins: of.n_twins,
            mean_reference: of.mean_people,
            mean_run: of.mean_twins,
            difference: of.mean_twins.zip(of.mean_people).map(|(run, reference)| run - reference),
            low,
            high,
            p: of.p,
            q: of.q,
            analysis: planned.map(|(plan, is_contrast)| AnalysisKind::of(is_contrast && plan.names(&of.name))),
            metrics: of.metrics.iter().map(MetricFigure::from).collect(),
            options: of.options.iter().map(option).collect(),
        }
    }
}

/// A run of a study beside the reference.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunBesideReference {
    simulation_id: Uuid,
    /// Twins with answers in both.
    twins: usize,
    /// Over all questions: 1 less the mean distance of the answers as a share of the scale.
    agreement: Option<Figure>,
    /// The mean of the questions' correlations.
    r: Option<Figure>,
    questions: Vec<QuestionInRuns>,
}

impl RunBesideReference {
    fn new(simulation_id: Uuid, of: &Comparison, planned: Planned<'_>) -> Self {
        Self {
            simulation_id,
            twins: of.pairs,
            agreement: of.overall.accuracy.as_ref().map(Figure::from),
            r: of.overall.r.as_ref().map(Figure::from),
            questions: of.items.iter().map(|item| QuestionInRuns::new(item, planned)).collect(),
        }
    }
}

/// How alike a question's answers are when everything is asked again.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QuestionRepeats {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// Twins that answered in every repeat.
    twins: usize,
    /// Share of pairs of repeats of one twin with the same answer, 0 to 1.
    #[schema(example = 0.92)]
    identical: f64,
    /// ICC(1): the share of the variance that is between twins; null if nobody differs, and of three or more options without
    /// an order, which have `alpha`.
    #[schema(example = 0.9)]
    icc: Option<f64>,
    /// Krippendorff's alpha of three or more options without an order: agreement of repeats beyond chance; else null.
    #[schema(example = json!(null))]
    alpha: Option<f64>,
    /// Repeats whose mean would have an ICC of .9, by Spearman and Brown.
    repeats_for90: Option<usize>,
}

impl From<&ItemRepeats> for QuestionRepeats {
    fn from(of: &ItemRepeats) -> Self {
        Self {
            name: of.name.clone(),
            text: of.text.clone(),
            twins: of.repeats.twins,
            identical: of.repeats.identical,
            icc: of.icc(),
            alpha: of.alpha(),
            repeats_for90: of.repeats_for_90(),
        }
    }
}

/// Runs that differ in nothing but their repeat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RepeatedRuns {
    simulation_ids: Vec<Uuid>,
    questions: Vec<QuestionRepeats>,
}

/// The runs of a study beside one of them.
#[derive(Debug, Serialize, ToSchema)]
struct RunsCompared {
    reference: Uuid,
    /// Of the intervals, 0 to 1.
    #[schema(example = 0.95)]
    level: f64,
    /// Bootstrap samples drawn over twins, and their seed.
    draws: usize,
    seed: i64,
    /// All but the reference, in the order of the study.
    runs: Vec<RunBesideReference>,
    repeats: Vec<RepeatedRuns>,
    /// What nobody may read the figures without knowing.
    notice: String,
}

/// The runs of a study beside one of them: the same twins, asked otherwise
///
/// Every figure is of the same twins in both runs. What each means: `docs/evidence.md`.
#[utoipa::path(
    get, path = "/studies/{studyId}/comparison", tag = "Studies",
    params(("studyId" = Uuid, Path, example = "5f4e3d2c-0000-4000-8000-000000000005"), ComparisonQuery),
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
    Ok(HttpResponse::Ok().json(compared(&app, &caller, *id, query).await?))
}

async fn compared(app: &App, caller: &Caller, id: Uuid, query: ComparisonQuery) -> Result<RunsCompared> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, caller, id, Right::See).await?;
    study_must_be_shown(&mut conn, study).await?;
    let plan = planned_analyses(&mut conn, study).await?;
    let mut runs = Vec::new();
    for found in studies::runs(&mut conn, study).await? {
        runs.push(Run::load(&conn, found.id).await?.with_attributes(&mut conn).await?);
    }
    drop(conn);
    if runs.iter().map(|run| i64::from(run.rows())).sum::<i64>() > MAX_ANSWERS {
        let message = format!("The study has more than {MAX_ANSWERS} answers: compare two runs by `/compare`");
        return Err(ApiError::Conflict(message));
    }
    let parameters: Vec<Parameters> = runs.iter().map(|run| run.parameters.clone()).collect();
    let ids: Vec<Uuid> = runs.iter().map(|run| run.facts.simulation_id).collect();
    let reference = place_of(&runs, query.reference)?;
    let permit = admit(app, caller.id, Work::Comparison)?.start().await;
    let groups = repeated(&runs.iter().map(|run| &run.parameters).collect::<Vec<_>>());
    let notice = runs.first().map(|run| run.notice.clone()).unwrap_or_default();
    let asked = runs.first().map(|run| run.questions.as_slice()).unwrap_or_default();
    let mut answered = AnsweredRuns::of(samples::items(asked));
    for run in &runs {
        answered.add(people::twins(&app.pool, run, &Special::default()).await?.respondents);
    }
    let of_groups = groups.clone();
    let compared = permit.blocking(move || beside(&answered, reference, &of_groups)).await?.map_err(ApiError::internal)?;
    let bootstrap = evidence::intervals::Bootstrap::default();
    let planned = |place: usize| {
        let plan = plan.as_ref()?;
        let (run, base) = (parameters.get(place)?, parameters.get(reference)?);
        Some((plan, is_planned_contrast(&plan.plan, run, base)))
    };
    let beside = ids.iter().zip(&compared.runs).enumerate();
    let of_group = |(group, items): (&Vec<usize>, &Vec<ItemRepeats>)| RepeatedRuns {
        simulation_ids: group.iter().filter_map(|place| ids.get(*place).copied()).collect(),
        questions: items.iter().map(QuestionRepeats::from).collect(),
    };
    Ok(RunsCompared {
        reference: ids.get(reference).copied().unwrap_or_default(),
        level: bootstrap.level,
        draws: compared.draws,
        seed: bootstrap.seed,
        runs: beside
            .filter_map(|(place, (id, of))| Some(RunBesideReference::new(*id, of.as_ref()?, planned(place))))
            .collect(),
        repeats: groups.iter().zip(&compared.repeats).map(of_group).collect(),
        notice,
    })
}

/// What the study's frozen plan names. `None`: it has none.
async fn planned_analyses(conn: &mut AsyncPgConnection, study_id: i64) -> Result<Option<PlannedAnalyses>> {
    let Some(plan) = study_plans::of_study(conn, study_id).await? else { return Ok(None) };
    let Some(frozen) = freeze::of_plan(conn, plan.id).await? else { return Ok(None) };
    Ok(Some(PlannedAnalyses::of(frozen.content().map_err(ApiError::internal)?)))
}

/// The place of a run among those of a study; without one the first.
pub(super) fn place_of(runs: &[Run], wanted: Option<Uuid>) -> Result<usize> {
    let Some(wanted) = wanted else { return Ok(0) };
    let place = runs.iter().position(|run| run.facts.simulation_id == wanted);
    place.ok_or_else(|| ApiError::invalid("reference: it is no run of this study"))
}
