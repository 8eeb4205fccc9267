//! A run's twins beside people who answered the same survey.

use std::collections::BTreeMap;

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use evidence::compare::{ArmTable, Contrast, ItemComparison, ItemKind, Overall, Subgroup};
use evidence::ecdf::EcdfPoint;
use evidence::effects::Difference;
use evidence::intervals::{Estimate, Interval};
use evidence::upload::{self, MatchedBy};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::figures::{Figure, MetricFigure, ends};
use super::matching::{QuestionColumns, RecodedAnswer, corrections};
use super::rectified::RectifiedEstimates;
use super::{Address, about, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::error::ErrorKind;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, begin_upload};
use crate::http::multipart;
use crate::results::people::{self, Chosen, Compared};

/// Bytes that a file may have.
const MAX_BYTES: usize = 50 * 1024 * 1024;
/// Twins times questions that a comparison is offered for.
pub(in crate::http) const MAX_ANSWERS: i32 = 500_000;

/// Each holds a processor for seconds.
pub(in crate::http) static COMPARISONS: Semaphore = Semaphore::const_new(1);

#[derive(ToSchema)]
struct PeopleUpload {
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
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PeopleQuery {
    /// The file's column of the experiment's arm.
    #[param(example = "fee_arm")]
    arm: Option<String>,
    /// The file's column of weights.
    #[param(example = "weight")]
    weight: Option<String>,
    /// Compares by the values of this column of the file, too.
    #[param(example = "Gender")]
    by: Option<String>,
    /// Attributes that the file has as columns, at most three, separated by commas: where no twin has a person's id, people
    /// are paired with the twins of their cell, for the rectified estimates.
    #[param(example = "Gender,Age")]
    cells: Option<String>,
}

/// An option of a question with several answers.
#[derive(Debug, Serialize, ToSchema)]
struct ComparedOption {
    #[schema(example = "Tea")]
    label: String,
    /// Shares, 0 to 1.
    people: f64,
    twins: f64,
    /// Twins' share less people's.
    difference: Figure,
}

/// Shares of answers that are at most so high, 0 to 1.
#[derive(Debug, Serialize, ToSchema)]
struct DistributionPoint {
    value: f64,
    people: f64,
    twins: f64,
}

/// A question, or a row of a matrix.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ComparedQuestion)]
struct Item {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// Answers that count; of pairs both are the number of pairs with both answers.
    n_people: usize,
    n_twins: usize,
    mean_people: Option<f64>,
    mean_twins: Option<f64>,
    /// Twins' mean less people's; null where there are no means.
    difference: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// Whether the means surely differ by less than 0.2 sd of the people.
    equivalent: Option<bool>,
    /// Of the difference of means, or of shares where there are no means.
    p: Option<f64>,
    /// p by Benjamini and Hochberg over the table.
    q: Option<f64>,
    metrics: Vec<MetricFigure>,
    options: Vec<ComparedOption>,
    /// Both empirical distribution functions, of numbers and ordered options: at most 100 points by value. Options count from 1.
    ecdf: Vec<DistributionPoint>,
}

impl From<&ItemComparison> for Item {
    fn from(of: &ItemComparison) -> Self {
        let (low, high) = ends(of.difference.map(|difference| difference.interval));
        let option = |option: &evidence::compare::OptionShare| ComparedOption {
            label: option.label.clone(),
            people: option.people,
            twins: option.twins,
            difference: Figure::from(&option.difference),
        };
        let point = |&EcdfPoint { value, people, twins }: &EcdfPoint| DistributionPoint { value, people, twins };
        Self {
            name: of.name.clone(),
            text: of.text.clone(),
            n_people: of.n_people,
            n_twins: of.n_twins,
            mean_people: of.mean_people,
            mean_twins: of.mean_twins,
            difference: of.difference.map(|difference| difference.difference),
            low,
            high,
            equivalent: of.equivalence.as_ref().map(|tested| tested.is_equivalent),
            p: of.p,
            q: of.q,
            metrics: of.metrics.iter().map(MetricFigure::from).collect(),
            options: of.options.iter().map(option).collect(),
            ecdf: of.ecdf.iter().map(point).collect(),
        }
    }
}

/// Over all questions. What needs pairs is null without them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AllItems {
    accuracy: Option<Figure>,
    r: Option<Figure>,
    r_within_person: Option<Figure>,
    r_of_item_means: Option<Figure>,
}

impl From<&Overall> for AllItems {
    fn from(of: &Overall) -> Self {
        let figure = |estimate: &Option<Estimate>| estimate.as_ref().map(Figure::from);
        Self {
            accuracy: figure(&of.accuracy),
            r: figure(&of.r),
            r_within_person: figure(&of.r_within_person),
            r_of_item_means: figure(&of.r_of_item_means),
        }
    }
}

/// An arm less the reference arm, of people or of twins.
#[derive(Debug, Serialize, ToSchema)]
struct Effect {
    difference: f64,
    low: f64,
    high: f64,
    /// Cohen's d.
    d: f64,
    p: f64,
}

impl Effect {
    fn new(of: &Difference, newcombe: Option<Interval>) -> Self {
        let Interval { low, high } = newcombe.unwrap_or(of.interval);
        Self { difference: of.difference, low, high, d: of.d, p: of.p }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EffectOfArm)]
struct ArmEffect {
    #[schema(example = "fair")]
    item: String,
    /// The option whose share is compared, of questions without an order.
    category: Option<String>,
    #[schema(example = "resort")]
    arm: String,
    people: Effect,
    twins: Effect,
    same_sign: bool,
}

impl From<&Contrast> for ArmEffect {
    fn from(of: &Contrast) -> Self {
        Self {
            item: of.item.clone(),
            category: of.category.clone(),
            arm: of.arm.clone(),
            people: Effect::new(&of.people, of.newcombe.map(|(people, _)| people)),
            twins: Effect::new(&of.twins, of.newcombe.map(|(_, twins)| twins)),
            same_sign: of.agreement.same_sign,
        }
    }
}

/// What the arms of the experiment do to people and to twins.
#[derive(Debug, Serialize, ToSchema)]
struct Arms {
    /// Every other arm is compared with it.
    #[schema(example = "control")]
    reference: String,
    effects: Vec<ArmEffect>,
}

impl From<&ArmTable> for Arms {
    fn from(of: &ArmTable) -> Self {
        Self { reference: of.reference.clone(), effects: of.contrasts.iter().map(ArmEffect::from).collect() }
    }
}

/// Accuracy by the values of a column.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ComparedSubgroup)]
struct Group {
    #[schema(example = "Female")]
    value: String,
    pairs: usize,
    accuracy: Figure,
    /// Less the others'.
    gap: Option<Figure>,
}

impl From<&Subgroup> for Group {
    fn from(of: &Subgroup) -> Self {
        Self {
            value: of.level.clone(),
            pairs: of.pairs,
            accuracy: Figure::from(&of.accuracy),
            gap: of.gap.as_ref().map(Figure::from),
        }
    }
}

/// Which columns of the file a question has.
#[derive(Debug, Serialize, ToSchema)]
struct MatchedQuestion {
    #[schema(example = "fair")]
    name: String,
    columns: Vec<String>,
    /// How it was found: `chosen`, `name`, `similar_name`, `import_id` or `text`.
    by: &'static str,
}

/// A question of the survey that people's answers are read to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReadableQuestion {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// Empty: its answers are numbers.
    options: Vec<String>,
    has_several_answers: bool,
}

impl From<evidence::compare::Item> for ReadableQuestion {
    fn from(evidence::compare::Item { name, text, kind }: evidence::compare::Item) -> Self {
        let (options, has_several_answers) = match kind {
            ItemKind::Single { labels, .. } => (labels, false),
            ItemKind::Multiple { labels } => (labels, true),
        };
        Self { name, text, options, has_several_answers }
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct DroppedColumn {
    #[schema(example = "IPAddress")]
    column: String,
    reason: &'static str,
}

/// Cells of the file that are no answer to their question; they count as missing.
#[derive(Debug, Serialize, ToSchema)]
struct UnreadCells {
    name: String,
    cell: String,
    count: usize,
}

/// How the file was read.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReadFile {
    questions: Vec<ReadableQuestion>,
    /// Columns that `matching` can choose, in the file's order.
    columns: Vec<String>,
    matched: Vec<MatchedQuestion>,
    unmatched_questions: Vec<String>,
    unmatched_columns: Vec<String>,
    /// Not looked at.
    dropped: Vec<DroppedColumn>,
    unread: Vec<UnreadCells>,
}

impl From<&Compared> for ReadFile {
    fn from(Compared { questions, columns, mapping, reading, .. }: &Compared) -> Self {
        let matched = mapping.matches.iter().map(|found| MatchedQuestion {
            name: found.item.clone(),
            columns: found.columns.iter().filter_map(|place| columns.get(*place).cloned()).collect(),
            by: match found.by {
                MatchedBy::Chosen => "chosen",
                MatchedBy::Name => "name",
                MatchedBy::SimilarName => "similar_name",
                MatchedBy::ImportId => "import_id",
                MatchedBy::Text => "text",
            },
        });
        let dropped = mapping.dropped.iter();
        let unread = reading.unread.iter();
        Self {
            questions: upload::items(questions).into_iter().map(ReadableQuestion::from).collect(),
            columns: mapping.choosable.clone(),
            matched: matched.collect(),
            unmatched_questions: mapping.unmatched_items.clone(),
            unmatched_columns: mapping.unmatched_columns.clone(),
            dropped: dropped.map(|of| DroppedColumn { column: of.column.clone(), reason: of.reason }).collect(),
            unread: unread
                .map(|of| UnreadCells { name: of.item.clone(), cell: of.cell.clone(), count: of.count })
                .collect(),
        }
    }
}

/// Twins beside people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PeopleComparison {
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
    questions: Vec<Item>,
    overall: AllItems,
    arms: Option<Arms>,
    groups: Vec<Group>,
    rectified: RectifiedEstimates,
    file: ReadFile,
    /// What nobody may read the figures without knowing.
    notice: String,
}

/// Sets a run's twins beside people who answered the same survey
///
/// The file is read, compared and forgotten: nothing of it is stored. Columns that tell who a person is (names, addresses,
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
    let upload = begin_upload(&app, caller.id)?;
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, &caller, *path).await?.with_attributes(&mut conn).await?;
    drop(conn);
    if run.rows() > MAX_ANSWERS {
        let message =
            format!("The run has more than {MAX_ANSWERS} answers: compare its wide.csv by `twinlab evidence`");
        return Err(ApiError::Conflict(message));
    }
    let (people, [matching, recodes]) = multipart::file_and(form, MAX_BYTES, ["matching", "recodes"]).await?;
    let corrections = corrections(matching.as_deref(), recodes.as_deref())?;
    let permit = COMPARISONS.acquire().await.map_err(ApiError::internal)?;
    let twins = people::twins(&app.pool, &run).await?;
    let named = |name: Option<String>| name.filter(|name| !name.is_empty());
    let cells = named(chosen.cells).unwrap_or_default();
    let cells = cells.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let chosen =
        Chosen { arm: named(chosen.arm), weight: named(chosen.weight), by: named(chosen.by), cells, corrections };
    let notice = run.notice.clone();
    let compare = move || {
        let _held = (permit, upload);
        people::beside(&run, &twins, &people, &chosen)
    };
    let compared = spawn_blocking(compare).await.map_err(ApiError::internal)?.map_err(|error| match error.kind {
        ErrorKind::BadInput => ApiError::invalid(error.to_string()),
        ErrorKind::Unavailable | ErrorKind::Internal => ApiError::from(error),
    })?;
    let of = &compared.comparison;
    let comparison = PeopleComparison {
        people: of.people,
        twins: of.twins,
        pairs: of.pairs,
        paired: of.paired,
        level: of.level,
        draws: of.replicates,
        seed: of.seed,
        family: of.family,
        questions: of.items.iter().map(Item::from).collect(),
        overall: AllItems::from(&of.overall),
        arms: of.arms.as_ref().map(Arms::from),
        groups: of.subgroups.iter().map(Group::from).collect(),
        rectified: RectifiedEstimates::from(&compared.rectified),
        file: ReadFile::from(&compared),
        notice: notice.clone(),
    };
    Ok(about(&notice).json(comparison))
}
