//! A run's twins beside people who answered the same survey.

mod arms;
pub(in crate::http) mod calibration;
pub(in crate::http) mod file;
pub(in crate::http) mod matching;
pub(super) mod questions;
mod rectified;
mod regressions;
pub(in crate::http) mod stored;

use std::collections::BTreeMap;

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data, Path};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::arms::{Arms, ComparedSubgroup};
use self::file::{DroppedColumn, ReadFile};
use self::matching::{QuestionColumns, RecodedAnswer, corrections, of_cells, shares};
use self::questions::{AllItems, ComparedQuestion};
use self::rectified::RectifiedEstimates;
use self::regressions::QuestionRegression;
use super::diagnostics::RunDiagnostic;
use super::{Address, about, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::error::{Error, ErrorKind};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::http::multipart;
use crate::models::study_plans::deviations::{ExtraAnalysis, note_analysis};
use crate::results::people::{self, Chosen, Compared, PeopleAnswers, PeopleFigures, Weighting, twin_columns};
use crate::results::run::Run;
use crate::results::studies::MAX_ANSWERS;
use crate::work::{Work, WorkPermit};

/// Bytes that a file may have.
const MAX_BYTES: usize = 50 * 1024 * 1024;

#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(in crate::http) struct PeopleUpload {
    /// People's answers, one row a person, up to 50 MiB: CSV with one row of names or Qualtrics' three header rows, an SPSS
    /// file (`.sav`) or a Stata file (`.dta`).
    #[schema(format = Binary)]
    #[expect(dead_code, reason = "read from the multipart stream; the document needs its shape")]
    file: String,
    /// Which columns the questions have, by name, in place of the automatic match: a column; for a question with several answers
    /// a column or a list with one for each option, in their order; null: none. Questions that are not named are matched
    /// automatically, to other columns.
    #[expect(dead_code, reason = "read from the multipart stream; the document needs its shape")]
    matching: Option<BTreeMap<String, QuestionColumns>>,
    /// What cells of a question are, by its name and the cell as the file has it (or its value's label): the label or the code of
    /// an option, a number for a question with numbers, or null: missing. Labels of several answers are joined by commas.
    #[expect(dead_code, reason = "read from the multipart stream; the document needs its shape")]
    recodes: Option<BTreeMap<String, BTreeMap<String, RecodedAnswer>>>,
    /// Shares that people are weighted to, in place of a column of weights: by attribute, a column of the file, the share of each
    /// of its levels, 0 to 1. Twins are weighted to them, too, where they have these attributes.
    #[expect(dead_code, reason = "read from the multipart stream; the document needs its shape")]
    margins: Option<BTreeMap<String, BTreeMap<String, f64>>>,
    /// With `cells`: the cells' shares in the population, 0 to 1 and 1 together, in place of the twins' own. By cell: the values of
    /// its attributes in the order of `cells`, joined by ` · `.
    #[schema(example = json!({"Female · 18-29": 0.11, "Male · 18-29": 0.89}))]
    #[expect(dead_code, reason = "read from the multipart stream; the document needs its shape")]
    cell_shares: Option<BTreeMap<String, f64>>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct PeopleQuery {
    /// The file's column of the experiment's arm.
    #[param(example = "fee_arm")]
    arm: Option<String>,
    /// The file's column of weights. Every figure is weighted by it.
    #[param(example = "weight")]
    weight: Option<String>,
    /// The attribute of the twins that is their weight. Not with `margins`.
    #[param(example = "Weight")]
    twin_weight: Option<String>,
    /// The file's column of the probability with which each person was drawn from those of the twins: estimates are then made
    /// by it (design-based supervised learning), and `cells` are what they are regressed on.
    #[param(example = "probability")]
    probability: Option<String>,
    /// Compares by the values of this column of the file, too.
    #[param(example = "Gender")]
    by: Option<String>,
    /// Attributes that the file has as columns, at most three, separated by commas: where no twin has a person's id, people
    /// are paired with the twins of their cell, for the rectified estimates.
    #[param(example = "Gender,Age")]
    cells: Option<String>,
    /// Attributes of the twins, separated by commas, that answers of people and of their twins are regressed on.
    #[param(example = "Gender,Age")]
    regress: Option<String>,
}

/// Twins beside people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct PeopleComparison {
    /// Rows of the file, twins of the run, and people with a twin of the same id.
    people: usize,
    twins: usize,
    pairs: usize,
    /// Whether each twin is compared with its own person. Without pairs, distributions are compared and nothing else.
    paired: bool,
    /// Of the intervals, 0 to 1.
    #[schema(example = 0.95)]
    level: f64,
    /// Bootstrap samples drawn over people, and their seed.
    draws: usize,
    seed: i64,
    /// Questions that `q` counts.
    family: usize,
    questions: Vec<ComparedQuestion>,
    overall: AllItems,
    arms: Option<Arms>,
    groups: Vec<ComparedSubgroup>,
    rectified: RectifiedEstimates,
    /// What people and twins count for; null: everybody counts the same.
    weights: Option<PeopleWeights>,
    /// With `regress`: least squares of the questions with numbers or an order.
    regressions: Vec<QuestionRegression>,
    /// Pitfalls that a run's `diagnostics` have no data for: of these people and, where twins were asked several times, repeats.
    diagnostics: Vec<RunDiagnostic>,
    file: ReadFile,
    /// What nobody may read the figures without knowing.
    notice: String,
}

/// How people, and perhaps twins, were weighted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PeopleWeights {
    /// Kish's effective number of people: so many without weights say as much.
    #[schema(example = 171.4)]
    people: f64,
    /// The same of twins; null: all count the same.
    twins: Option<f64>,
    /// With margins: people whose weight was cut to 1/5 or 5 times the mean.
    trimmed: Option<usize>,
}

impl PeopleComparison {
    pub(in crate::http) fn new(compared: &Compared, notice: &str) -> Self {
        let PeopleFigures { comparison: of, rectified, weighting, regressions, diagnoses, .. } = &compared.figures;
        let weights = |of: &Weighting| PeopleWeights { people: of.people, twins: of.twins, trimmed: of.trimmed };
        Self {
            people: of.people,
            twins: of.twins,
            pairs: of.pairs,
            paired: of.paired,
            level: of.level,
            draws: of.replicates,
            seed: of.seed,
            family: of.family,
            questions: of.items.iter().map(ComparedQuestion::from).collect(),
            overall: AllItems::from(&of.overall),
            arms: of.arms.as_ref().map(Arms::from),
            groups: of.subgroups.iter().map(ComparedSubgroup::from).collect(),
            rectified: RectifiedEstimates::from(rectified),
            weights: weighting.as_ref().map(weights),
            regressions: regressions.iter().map(QuestionRegression::from).collect(),
            diagnostics: diagnoses.iter().cloned().map(RunDiagnostic::from).collect(),
            file: ReadFile::from(&compared.read),
            notice: notice.to_owned(),
        }
    }

    /// With columns that are not kept.
    pub(in crate::http) fn without(mut self, dropped: Vec<DroppedColumn>) -> Self {
        self.file = self.file.without(dropped);
        self
    }
}

/// Reads the form and what was chosen for it.
pub(in crate::http) async fn read_form(query: PeopleQuery, form: Multipart) -> Result<(Bytes, Chosen)> {
    let (people, said) = multipart::file_and(form, MAX_BYTES, CHOICES).await?;
    Ok((people, chosen(query, said)?))
}

/// The same with the field `name`.
pub(in crate::http) async fn read_named_form(
    query: PeopleQuery,
    form: Multipart,
) -> Result<(Bytes, Chosen, Option<Bytes>)> {
    let [matching, recodes, margins, cell_shares] = CHOICES;
    let names = [matching, recodes, margins, cell_shares, "name"];
    let (people, [matching, recodes, margins, cell_shares, name]) = multipart::file_and(form, MAX_BYTES, names).await?;
    Ok((people, chosen(query, [matching, recodes, margins, cell_shares])?, name))
}

/// The form's fields beside the file.
const CHOICES: [&str; 4] = ["matching", "recodes", "margins", "cellShares"];

fn chosen(query: PeopleQuery, [matching, recodes, margins, cell_shares]: [Option<Bytes>; 4]) -> Result<Chosen> {
    let corrections = corrections(matching.as_deref(), recodes.as_deref())?;
    let named = |name: Option<String>| name.filter(|name| !name.is_empty());
    let list = |names: Option<String>| -> Vec<String> {
        let names = names.unwrap_or_default();
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let cells = list(query.cells);
    Ok(Chosen {
        arm: named(query.arm),
        weight: named(query.weight),
        twin_weight: named(query.twin_weight),
        margins: shares(margins.as_deref())?,
        probability: named(query.probability),
        by: named(query.by).into_iter().collect(),
        cell_shares: of_cells(cell_shares.as_deref(), &cells)?,
        cells,
        regress: list(query.regress),
        corrections,
    })
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
/// e-mails, places) are not looked at. Columns are matched to questions by name, then by similar name, then by text; choices
/// by their label, by the label of a value or by their code; `matching` and `recodes` say otherwise. With a column of ids
/// (`pid`, `TWIN_ID` or `personaPid`) each twin is compared with its own person. What each figure means: `docs/evidence.md`.
#[utoipa::path(
    post, path = "/surveys/{surveyId}/simulation/{simulationId}/people", tag = "Answers",
    operation_id = "compare_with_people",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), PeopleQuery),
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
    Query(chosen): Query<PeopleQuery>,
    form: Multipart,
) -> Result<HttpResponse> {
    let admission = admit(&app, caller.id, Work::PeopleUpload)?;
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, &caller, *path).await?.with_attributes(&mut conn).await?;
    drop(conn);
    must_be_comparable(&run)?;
    let (people, chosen) = read_form(chosen, form).await?;
    let permit = admission.start().await;
    let twins = people::twins(&app.pool, &run, &twin_columns(&run, &chosen)).await?;
    let (run_id, notice) = (run.facts.id, run.notice.clone());
    let thresholds = app.config.thresholds;
    let people = PeopleAnswers::File(people);
    let compare = move || people::beside(&run, vec![vec![twins]], &people, &chosen, &thresholds);
    let compared = count(&permit, compare).await?;
    note_analysis(&mut *db::checkout(&app.pool).await?, run_id, caller.writer(), ExtraAnalysis::People).await?;
    Ok(about(&notice).json(PeopleComparison::new(&compared, &notice)))
}
