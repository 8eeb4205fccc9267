//! A run's twins beside people who answered the same survey.

pub(in crate::http) mod form;
pub(in crate::http) mod stored;

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use evidence::options::ComparisonOptions;
use evidence::people::PeopleFigures;
use evidence::upload::{Dropped, ReadFile};
use serde::Serialize;
use simulation::applied_rule::AppliedRule;
use simulation::run::Run;
use simulation::scoring::ScoredQuestion;
use simulation::studies::MAX_ANSWERS;
use simulation::twins::twin_columns;
use utoipa::ToSchema;

use self::form::{OptionsInQuery, PeopleForm, PeopleUpload};
use super::{Address, about, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::error::{Error, ErrorKind};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::models::study_plans::deviations::{ExtraAnalysis, note_analysis};
use crate::models::study_plans::planned;
use crate::results::people::{self, Compared, NodeEffects, PeopleAnswers};
use crate::results::runs;
use crate::work::{Work, WorkPermit};

/// Twins beside people, and how people's answers were read.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct PeopleComparison {
    #[serde(flatten)]
    figures: PeopleFigures,
    /// How the differences are called.
    rule: AppliedRule,
    file: ReadFile,
    /// How each question is scored, and why.
    scoring: Vec<ScoredQuestion>,
    /// The effects of each random node whose arms the file says, without `arm`.
    experiments: Vec<NodeEffects>,
    /// Notice to be shown with the figures.
    notice: String,
}

impl PeopleComparison {
    pub(in crate::http) fn new(compared: Compared, notice: &str) -> Self {
        let Compared { figures, rule, read, scoring, experiments } = compared;
        Self { file: ReadFile::from(&read), figures, rule, scoring, experiments, notice: notice.to_owned() }
    }

    /// Reading of the file, with the columns that are not kept.
    pub(in crate::http) fn without(mut self, dropped: Vec<Dropped>) -> Self {
        self.file.dropped.extend(dropped);
        self
    }
}

/// Counts on another thread.
pub(in crate::http) async fn count<T: Send + 'static>(
    permit: &WorkPermit,
    compare: impl FnOnce() -> crate::error::Result<T> + Send + 'static,
) -> Result<T> {
    permit.blocking(compare).await?.map_err(refused)
}

/// Bad input is the caller's.
pub(in crate::http) fn refused(error: Error) -> ApiError {
    match error.kind {
        ErrorKind::BadInput => ApiError::invalid(error.to_string()),
        _ => ApiError::from(error),
    }
}

fn must_be_comparable(run: &Run) -> Result<()> {
    if i64::from(run.rows()) > MAX_ANSWERS {
        let message =
            format!("The run has more than {MAX_ANSWERS} answers: compare its wide.csv by `twinlab evidence`");
        return Err(ApiError::Conflict(message));
    }
    Ok(())
}

/// Sets a run's twins beside people who answered the same survey
///
/// The file is read, compared and forgotten: nothing of it is stored. `POST /surveys/{surveyId}/human-samples` keeps it for all
/// runs of the survey. Columns that tell who a person is (names, addresses,
/// e-mails, places) are not looked at. Columns are matched to questions by Qualtrics' id where the survey was imported with
/// it, then by name, then by similar name, then by text; columns of random orders, of fields and of arms to the random nodes,
/// by id, name or value (`arms` says otherwise); choices by their label, by the label of a value or by their code; `matching` and `recodes` say otherwise. With a column of ids
/// (`pid`, `TWIN_ID` or `personaPid`) each twin is compared with its own person. What each figure means: `docs/evidence.md`.
#[utoipa::path(
    post, path = "", operation_id = "compare_with_people",
    params(OptionsInQuery),
    request_body(content = PeopleUpload, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The figures", body = PeopleComparison),
        (status = 409, description = "The run has too many answers"),
        (status = 429, description = "Two uploads of the caller are under way; see Retry-After")
    )
)]
pub async fn compare(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(options): Query<ComparisonOptions>,
    form: Multipart,
) -> Result<HttpResponse> {
    let admission = admit(&app, caller.id, Work::PeopleUpload)?;
    let mut conn = db::checkout(&app.pool).await?;
    let run = runs::with_attributes(run(&mut conn, &caller, *path).await?, &mut conn).await?;
    let plan = planned::of_run(&mut conn, run.facts.id).await?;
    drop(conn);
    must_be_comparable(&run)?;
    let PeopleForm { file, options, .. } = PeopleForm::read(options, form).await?;
    let permit = admission.start().await;
    let twins = people::twins(&app.pool, &run, &twin_columns(&run, &options)).await?;
    let (run_id, notice) = (run.facts.id, run.notice.clone());
    let thresholds = app.config.thresholds;
    let people = PeopleAnswers::File(file);
    let compare =
        move || people::compare_with_people(&run, vec![vec![twins]], &people, &options, &thresholds, plan.as_ref());
    let compared = count(&permit, compare).await?;
    note_analysis(&mut *db::checkout(&app.pool).await?, run_id, caller.writer(), ExtraAnalysis::People).await?;
    Ok(about(&notice).json(PeopleComparison::new(compared, &notice)))
}
