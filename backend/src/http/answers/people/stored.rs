//! Twins beside people whose answers are kept.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Bytes, Data, Path};
use diesel_async::AsyncPgConnection;
use evidence::calibration::Calibration;
use evidence::options::ComparisonOptions;
use serde::{Deserialize, Serialize};
use simulation::twins::twin_columns;
use survey::question::Question;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Address, PeopleComparison, about, count, must_be_comparable, run};
use crate::app::App;
use crate::auth::rules::{self, AccessRefusal, Caller};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::http::human_samples::SampleView;
use crate::models::human_samples::{self, HumanSample};
use crate::models::study_plans::deviations::{ExtraAnalysis, note_analysis};
use crate::models::study_plans::planned;
use crate::results::people::{self, Compared, PeopleAnswers, PeopleReader, SampleKey, samples};
use crate::results::runs;
use crate::results::single_flight::Freshness;
use crate::work::Work;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SampleQuery {
    /// One of the survey's human samples. Without it: the newest.
    #[param(example = "8c7d6e5f-0000-4000-8000-000000000008")]
    pub sample: Option<Uuid>,
}

/// A sample that the caller may see compared.
pub(in crate::http) struct KeptSample {
    pub sample: HumanSample,
    pub reader: PeopleReader,
}

impl KeptSample {
    /// The survey's newest sample, or the one that is asked for.
    pub async fn find(
        conn: &mut AsyncPgConnection,
        caller: &Caller,
        survey_id: i64,
        asked: SampleQuery,
    ) -> Result<Self> {
        let missing = || ApiError::not_found("Sample");
        let (survey, not_owned) = match rules::seen_survey(conn, caller, survey_id).await {
            Err(AccessRefusal::NotThere(_)) => return Err(missing()),
            found => found?,
        };
        let sample = human_samples::chosen(conn, survey_id, asked.sample).await?.ok_or_else(missing)?;
        let reader = match (not_owned, survey.visibility.as_str()) {
            (None, _) => PeopleReader::Owner,
            (Some(_), "PRIVATE") => PeopleReader::Overseer,
            (Some(_), _) => PeopleReader::Public,
        };
        Ok(Self { sample, reader })
    }

    /// Key of the comparison in the cache: equal keys give equal comparisons.
    pub fn key(&self) -> SampleKey {
        (self.sample.id, self.sample.updated_at.timestamp_micros(), self.reader)
    }

    /// Options of the comparison in a survey with these questions.
    pub fn options(&self, questions: &[Question]) -> Result<ComparisonOptions> {
        let settings = self.sample.settings().map_err(ApiError::internal)?;
        Ok(samples::of_questions(settings, questions))
    }

    /// Its compressed answers.
    pub async fn content(&self, app: &App) -> Result<Vec<u8>> {
        Ok(human_samples::content(&mut *db::checkout(&app.pool).await?, self.sample.id).await?)
    }

    pub fn view(&self) -> Result<SampleView> {
        SampleView::of(self.sample.clone(), None, self.reader == PeopleReader::Owner)
    }

    /// The figures without what this reader may not know, and those of repeats.
    pub fn visible(&self, mut compared: Compared, notice: &str) -> Result<(PeopleComparison, Option<Calibration>)> {
        self.reader.redact(&mut compared);
        let calibration = compared.figures.calibration.take();
        Ok((PeopleComparison::new(compared, notice).without(self.view()?.dropped), calibration))
    }
}

/// Twins beside people whose answers are kept.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SampleComparison {
    sample: SampleView,
    /// Whether figures about fewer than 5 people are left out: the survey is public, and not the caller's.
    suppressed: bool,
    comparison: PeopleComparison,
}

/// Sets a run's twins beside people whose answers are kept
///
/// With the survey's newest human sample, or `sample`, as its settings say; the figures are those of the call that is sent a
/// file. Callers who see the run see them. Cells of people's answers are shown to the survey's owner alone; of a public survey
/// other callers see nothing about fewer than 5 people.
#[utoipa::path(
    get, path = "",
    params(SampleQuery),
    responses(
        (status = 200, description = "The figures", body = SampleComparison),
        (status = 409, description = "The run has too many answers"),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn compare_with_sample(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(asked): Query<SampleQuery>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = runs::with_attributes(run(&mut conn, &caller, *path).await?, &mut conn).await?;
    let kept = KeptSample::find(&mut conn, &caller, run.facts.survey_id, asked).await?;
    let plan = planned::of_run(&mut conn, run.facts.id).await?;
    drop(conn);
    must_be_comparable(&run)?;
    let run = Arc::new(run);
    let (run_id, notice) = (run.facts.id, run.notice.clone());
    let key = (vec![run_id], kept.key());
    let read = async || -> Result<Bytes> {
        let permit = admit(&app, caller.id, Work::Comparison)?.start().await;
        let (content, options) = (kept.content(&app).await?, kept.options(&run.questions)?);
        let twins = people::twins(&app.pool, &run, &twin_columns(&run, &options)).await?;
        let (thresholds, compared_run, plan) = (app.config.thresholds, Arc::clone(&run), plan.clone());
        let compare = move || {
            let people = PeopleAnswers::Kept(samples::open(&content)?);
            let twins = vec![vec![twins]];
            people::compare_with_people(&compared_run, twins, &people, &options, &thresholds, plan.as_ref())
        };
        let compared = count(&permit, compare).await?;
        let comparison = SampleComparison {
            sample: kept.view()?,
            suppressed: kept.reader == PeopleReader::Public,
            comparison: kept.visible(compared, &notice)?.0,
        };
        Ok(serde_json::to_vec(&comparison).map_err(ApiError::internal)?.into())
    };
    let body = app.people.get(key, Freshness::OWN_WRITES, read).await?;
    note_analysis(&mut *db::checkout(&app.pool).await?, run_id, caller.writer(), ExtraAnalysis::People).await?;
    Ok(about(&notice).content_type(ContentType::json()).body(body))
}
