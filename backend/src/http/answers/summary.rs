//! A run's answers in figures.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Bytes, Data, Path};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use simulation::applied_rule::{AppliedRule, TestScope};
use simulation::run::Run;
use survey::arm_texts::{self, FieldTexts};
use utoipa::ToSchema;

use super::conditions::{self, Conditions};
use super::{Address, about, freshness, note, run, version};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::models::study_plans::planned;
use crate::models::summaries::{self, AttributeValues, NAMED_AS_ARM, QuestionSummary, Summary, TwinsOf};
use crate::results::group_tests::{self, TestedGroups};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Crosstab {
    /// Figures for groups of twins too: by an attribute or an arm, one of `attributes` of the answer, or by their answers to a
    /// question: `question:31` of a choice or yes/no question or of a number, which is grouped by the intervals of its
    /// `bins` (`20 to 30`), `question:32:row:2` of the second row of a matrix. Who chose several options is in several
    /// groups. `question:position` groups answers by where their question was asked, early or late in a block of a drawn
    /// order.
    #[param(example = "Gender")]
    by: Option<String>,
}

/// Summary of a run's answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponsesSummary {
    #[schema(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    simulation_id: String,
    /// Attribute, random node or question that makes the groups.
    #[schema(example = "Gender")]
    by: Option<String>,
    /// Conditions that a twin must meet to count.
    #[schema(example = json!(["Income:Less than $30,000"]))]
    r#where: Vec<String>,
    /// Twins that count, whether they answered or not.
    #[schema(example = 200)]
    n: i64,
    /// Names that `by` may have: the twins' attributes with at most 100 different values, and their arms by random node.
    #[schema(example = json!(["Age", "Gender"]))]
    attributes: Vec<String>,
    /// Names among them that are arms of the survey's random nodes.
    #[schema(example = json!(["fee_arm"]))]
    arms: Vec<String>,
    /// Values that each arm of `by` gives to fields, where they are fixed texts. Questions read it as `{{field:…}}`.
    /// Missing where there is none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(
        required = false,
        value_type = BTreeMap<String, BTreeMap<String, String>>,
        example = json!({ "resort": { "fee": "a resort fee" } })
    )]
    arm_texts: BTreeMap<String, FieldTexts>,
    /// Whether `by` can be `question:position`: a block of the survey has a drawn order.
    positions: bool,
    /// The values of these attributes, of all twins of the run.
    attribute_values: Vec<AttributeValues>,
    /// The groups of the twins that count, in the order of the codebook or of the options; empty groups are left out, and
    /// who has no value comes last as `(not stated)`.
    groups: Vec<TwinsOf>,
    /// How the groups are tested.
    rule: AppliedRule,
    /// Figures of the questions, in survey order.
    questions: Vec<QuestionSummary>,
    /// Notice to be shown with the figures.
    #[schema(example = "demo model: not from a language model")]
    notice: String,
    /// The run is not over, or was stopped: these are its answers so far.
    partial: bool,
}

/// Summary of a run's answers, question by question
///
/// Of stored answers only. n: twins who answered. share: count / n, so that of a multiple choice the shares of all
/// options may add up to more than 1. Numbers: mean = Σx / n, sd = √(Σ(x − mean)² / (n − 1)), and bins. Matrix: the
/// same for each row, where the mean takes the first label of the scale as 1, the second as 2. Free text: n and the
/// answers of the first 20 twins. With `by`, groups has the same for each group of twins. With `where`, of the twins that
/// pass it alone. Shares have Wilson's 95 % interval, means Student's t.
///
/// With `by`, each question has its tests: counts by Pearson's χ², the means of two groups by Welch's t and of more by Welch's
/// analysis of variance. `adjustedP` is p adjusted over the family of tests by `rule`: that of the frozen plan of the run's
/// study, else Holm's at .05 over all tests of the answer.
#[utoipa::path(
    get, path = "", operation_id = "summarize_answers",
    params(Crosstab, Conditions),
    responses((status = 200, description = "The figures", body = ResponsesSummary))
)]
pub async fn summary(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(crosstab): Query<Crosstab>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let run = run(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let (by, only) = (crosstab.by.clone(), conditions.clone());
    let answer = figures(&app, &run, crosstab, conditions).await?;
    if by.is_some() || !only.conditions.is_empty() {
        note(&mut *db::checkout(&app.pool).await?, &caller, &run, by.as_deref(), &only).await?;
    }
    Ok(answer)
}

/// The answer of [`summary`] for a run that the caller may see.
pub async fn figures(app: &App, run: &Run, crosstab: Crosstab, conditions: Conditions) -> Result<HttpResponse> {
    let by = crosstab.by.filter(|by| !by.is_empty());
    let asked = (version(run), by.clone(), conditions.conditions.clone());
    let read = async || {
        let figures = read(&mut *db::checkout(&app.pool).await?, run, by, conditions).await?;
        let json = serde_json::to_vec(&figures).map_err(ApiError::internal)?;
        Result::<_, ApiError>::Ok(Bytes::from(json))
    };
    let json = app.figures.get(asked, freshness(run), read).await?;
    Ok(about(&run.notice).content_type(ContentType::json()).body(json))
}

/// Collects the values that the arms of `by`, an attribute of the twins, give to fields.
fn texts_of_arms(run: &Run, by: &str) -> BTreeMap<String, FieldTexts> {
    let node = by.strip_suffix(NAMED_AS_ARM).unwrap_or(by);
    run.survey.design.as_ref().map(|design| arm_texts::find_field_texts(&design.flow, node)).unwrap_or_default()
}

async fn read(
    conn: &mut AsyncPgConnection,
    run: &Run,
    by: Option<String>,
    conditions: Conditions,
) -> Result<ResponsesSummary> {
    let questions = &run.questions;
    let (twins, wanted, attribute_values) = conditions::wanted(conn, run, by.as_deref(), &conditions).await?;
    let attributes = attribute_values.iter().map(|attribute| attribute.name.clone()).collect();
    let arms = attribute_values.iter().map(|attribute| &attribute.name).filter(|name| twins.arms().contains(*name));
    let arms: Vec<String> = arms.cloned().collect();
    let arm_texts = by.as_deref().filter(|by| arms.iter().any(|arm| arm == by)).map(|by| texts_of_arms(run, by));
    let Summary { n, groups, questions: mut answered } =
        summaries::of_run(conn, run.facts.id, questions, &twins, &wanted).await?;
    let plan = planned::of_run(conn, run.facts.id).await?;
    if let Some(by) = &wanted.by {
        let is_planned = plan.as_ref().is_some_and(|plan| plan.plan.plans_groups(&by.to_string()));
        let is_planned = is_planned && wanted.filter.is_empty();
        let mut answered: Vec<&mut QuestionSummary> = answered.iter_mut().collect();
        group_tests::add(&mut answered, questions, TestedGroups { by: Some(by), plan: plan.as_ref(), is_planned });
    }
    Ok(ResponsesSummary {
        simulation_id: run.simulation_id.clone(),
        by,
        r#where: conditions.conditions,
        n,
        attributes,
        arms,
        arm_texts: arm_texts.unwrap_or_default(),
        positions: !wanted.blocks.is_empty(),
        attribute_values,
        groups,
        rule: AppliedRule::of(plan.as_ref(), TestScope::Groups),
        questions: answered,
        notice: run.notice.clone(),
        partial: run.partial().is_some(),
    })
}
