//! The twins of a study beside people who answered the same survey: its arms together, and its repeats as forecasts.

use std::ops::Range;
use std::sync::Arc;

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Bytes, Data, Path};
use diesel_async::AsyncPgConnection;
use evidence::calibration::Calibration;
use evidence::diagnostics::Thresholds;
use evidence::options::ComparisonOptions;
use evidence::upload::Reading;
use serde::Serialize;
use simulation::plans::planned::PlannedAnalyses;
use simulation::run::Run;
use simulation::studies::{MAX_ANSWERS, repeats_and_arms};
use simulation::twins::{arm_node, twin_columns};
use utoipa::ToSchema;
use uuid::Uuid;

use super::comparison::{ComparisonQuery, place_of, planned_analyses};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::error::Error;
use crate::http::answers::people::form::{OptionsInQuery, PeopleForm, PeopleUpload};
use crate::http::answers::people::stored::{KeptSample, SampleQuery};
use crate::http::answers::people::{PeopleComparison, count};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::http::human_samples::SampleView;
use crate::models::studies;
use crate::models::study_plans::deviations::{ExtraAnalysis, note_analysis};
use crate::models::study_plans::study_must_be_shown;
use crate::results::people::{self, Compared, PeopleAnswers, PeopleReader, samples};
use crate::results::runs;
use crate::results::single_flight::Freshness;
use crate::work::Work;

/// Twins of a study beside people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StudyBesidePeople {
    /// The runs whose twins stand beside people: one, or one for each arm where every twin stood in every arm.
    simulation_ids: Vec<Uuid>,
    comparison: PeopleComparison,
    /// Forecast by the run and its repeats, and the answers of people. Null where there are no repeats, or nobody
    /// whose twin answered in all of them.
    calibration: Option<Calibration>,
}

/// Sets the twins of a study beside people who answered the same survey
///
/// As for a run, for the run `reference` and what belongs to it: with `arm`, the runs in which the same twins stood in the other
/// arms, so that each twin is compared with itself; and its repeats, whose shares of answers are forecasts that people's
/// answers put to the test. The file is read, compared and forgotten. What each figure means: `docs/evidence.md`.
#[utoipa::path(
    post, path = "", operation_id = "compare_study_with_people",
    params(ComparisonQuery, OptionsInQuery),
    request_body(content = PeopleUpload, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The figures", body = StudyBesidePeople),
        (status = 409, description = "The runs have too many answers"),
        (status = 429, description = "Two uploads of the caller are under way; see Retry-After")
    )
)]
pub async fn compare_with_people(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(query): Query<ComparisonQuery>,
    Query(options): Query<ComparisonOptions>,
    form: Multipart,
) -> Result<HttpResponse> {
    let admission = admit(&app, caller.id, Work::PeopleUpload)?;
    let mut conn = db::checkout(&app.pool).await?;
    let study = StudyRuns::find(&mut conn, &caller, *id, query).await?;
    drop(conn);
    let PeopleForm { file, options, .. } = PeopleForm::read(options, form).await?;
    let twins = study.twins(options.arm.as_deref())?;
    let permit = admission.start().await;
    let answered = twins.answered(&app, &options).await?;
    let (runs, thresholds, plan) = (Arc::clone(&twins.runs), app.config.thresholds, twins.plan.clone());
    let people = PeopleAnswers::File(file);
    let compare = move || beside(&runs, answered, &people, &options, &thresholds, plan.as_ref());
    let mut compared = count(&permit, compare).await?;
    note(&app, &caller, twins.asked_first).await?;
    Ok(HttpResponse::Ok().json(StudyBesidePeople {
        simulation_ids: twins.simulation_ids,
        calibration: compared.figures.calibration.take(),
        comparison: PeopleComparison::new(compared, &twins.notice),
    }))
}

/// Twins of a study beside people whose answers are kept.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StudySampleComparison {
    sample: SampleView,
    /// Whether figures about fewer than 5 people are left out: the survey is public, and not the caller's.
    suppressed: bool,
    #[serde(flatten)]
    beside: StudyBesidePeople,
}

/// Sets the twins of a study beside people whose answers are kept
///
/// As of a run, with the survey's newest human sample, or `sample`, and for the run `reference` with what belongs to it.
#[utoipa::path(
    get, path = "", operation_id = "compare_study_with_sample",
    params(ComparisonQuery, SampleQuery),
    responses(
        (status = 200, description = "The figures", body = StudySampleComparison),
        (status = 409, description = "The runs have too many answers"),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn compare_with_sample_of_survey(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(query): Query<ComparisonQuery>,
    Query(asked): Query<SampleQuery>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = StudyRuns::find(&mut conn, &caller, *id, query).await?;
    let first = study.runs.first().ok_or_else(|| ApiError::not_found("Study"))?;
    let kept = KeptSample::find(&mut conn, &caller, first.facts.survey_id, asked).await?;
    let options = kept.options(&first.questions)?;
    drop(conn);
    let twins = study.twins(options.arm.as_deref())?;
    let asked_first = twins.asked_first;
    let key = (twins.run_ids(), kept.key());
    let read = async || -> Result<Bytes> {
        let permit = admit(&app, caller.id, Work::Comparison)?.start().await;
        let content = kept.content(&app).await?;
        let answered = twins.answered(&app, &options).await?;
        let (runs, thresholds, plan) = (Arc::clone(&twins.runs), app.config.thresholds, twins.plan.clone());
        let compare = move || {
            let people = PeopleAnswers::Kept(samples::open(&content)?);
            beside(&runs, answered, &people, &options, &thresholds, plan.as_ref())
        };
        let compared = count(&permit, compare).await?;
        let (comparison, calibration) = kept.visible(compared, &twins.notice)?;
        let comparison = StudySampleComparison {
            sample: kept.view()?,
            suppressed: kept.reader == PeopleReader::Public,
            beside: StudyBesidePeople { simulation_ids: twins.simulation_ids.clone(), comparison, calibration },
        };
        Ok(serde_json::to_vec(&comparison).map_err(ApiError::internal)?.into())
    };
    let body = app.people.get(key, Freshness::OWN_WRITES, read).await?;
    note(&app, &caller, asked_first).await?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(body))
}

async fn note(app: &App, caller: &Caller, run: Option<i64>) -> Result<()> {
    if let Some(run) = run {
        note_analysis(&mut *db::checkout(&app.pool).await?, run, caller.writer(), ExtraAnalysis::People).await?;
    }
    Ok(())
}

/// The runs of a study that the caller may see, and which of them is asked about.
struct StudyRuns {
    runs: Vec<Run>,
    reference: usize,
    plan: Option<PlannedAnalyses>,
}

impl StudyRuns {
    async fn find(conn: &mut AsyncPgConnection, caller: &Caller, id: Uuid, query: ComparisonQuery) -> Result<Self> {
        let study = rules::study(conn, caller, id, Right::See).await?;
        study_must_be_shown(conn, study).await?;
        let mut runs = Vec::new();
        for found in studies::runs(conn, study).await? {
            runs.push(runs::with_attributes(runs::load(conn, found.id).await?, conn).await?);
        }
        let reference = place_of(&runs, query.reference)?;
        Ok(Self { runs, reference, plan: planned_analyses(conn, study).await? })
    }

    /// The study's runs with the people's column of the arm. Refuses a study with too many answers.
    fn twins(self, arm: Option<&str>) -> Result<StudyTwins> {
        let Self { runs, reference, plan } = self;
        let asked_first = runs.first().map(|run| run.facts.id);
        let node = runs.get(reference).and_then(|run| arm_node(run, arm));
        let groups = repeats_and_arms(&runs, reference, node.as_deref());
        let mut used: Vec<Run> = Vec::new();
        let mut runs: Vec<Option<Run>> = runs.into_iter().map(Some).collect();
        // The places of each group among those that are used.
        let mut places = Vec::with_capacity(groups.len());
        for group in groups {
            let found = group.into_iter().filter_map(|place| runs.get_mut(place)?.take());
            let from = used.len();
            used.extend(found);
            places.push(from..used.len());
        }
        if used.iter().map(|run| i64::from(run.rows())).sum::<i64>() > MAX_ANSWERS {
            let message = format!("These runs have more than {MAX_ANSWERS} answers: compare one of them");
            return Err(ApiError::Conflict(message));
        }
        let first = places.first().and_then(|group| used.get(group.clone())).unwrap_or_default();
        Ok(StudyTwins {
            simulation_ids: first.iter().map(|run| run.facts.simulation_id).collect(),
            notice: used.first().map(|run| run.notice.clone()).unwrap_or_default(),
            asked_first,
            plan,
            runs: Arc::new(used),
            groups: places,
        })
    }
}

/// The runs that are compared: of the first group those whose twins stand beside people, then its repeats.
struct StudyTwins {
    asked_first: Option<i64>,
    simulation_ids: Vec<Uuid>,
    notice: String,
    plan: Option<PlannedAnalyses>,
    runs: Arc<Vec<Run>>,
    groups: Vec<Range<usize>>,
}

impl StudyTwins {
    fn run_ids(&self) -> Vec<i64> {
        self.runs.iter().map(|run| run.facts.id).collect()
    }

    /// The answers of each group.
    async fn answered(&self, app: &App, options: &ComparisonOptions) -> Result<Vec<Vec<Reading>>> {
        let columns = self.runs.first().map(|run| twin_columns(run, options)).unwrap_or_default();
        let mut answered = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let mut twins = Vec::with_capacity(group.len());
            for run in self.runs.get(group.clone()).unwrap_or_default() {
                twins.push(people::twins(&app.pool, run, &columns).await?);
            }
            answered.push(twins);
        }
        Ok(answered)
    }
}

fn beside(
    runs: &[Run],
    twins: Vec<Vec<Reading>>,
    people: &PeopleAnswers,
    options: &ComparisonOptions,
    thresholds: &Thresholds,
    plan: Option<&PlannedAnalyses>,
) -> crate::error::Result<Compared> {
    let run = runs.first().ok_or_else(|| Error::internal("there is no run to compare"))?;
    people::compare_with_people(run, twins, people, options, thresholds, plan)
}
