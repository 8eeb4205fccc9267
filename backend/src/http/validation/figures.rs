//! Figures of a validation.

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Data, Path};
use evidence::intervals::Estimate;
use evidence::validation::{ArmFigures, BASELINES, CEILING, TaskFigures};
use serde::Serialize;
use serde_json::Value;
use simulation::parameters::PersonaVariant;
use utoipa::ToSchema;
use uuid::Uuid;

use super::validation_of;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::admit;
use crate::models::validations::{self, ValidationStudy};
use crate::validation::figures::{ValidationFacts, ValidationFigures, figures};
use crate::validation::verdicts::{TrustVerdict, better_than_the_ceiling, verdicts};
use crate::work::Work;

/// Source of answers.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ValidationArmKind)]
enum ArmKind {
    /// The people themselves, the second time: nothing can agree with them better.
    People,
    Twins,
    /// No model.
    Baseline,
}

/// Answers of one kind, and how close they are to the people's first ones.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ValidatedArm {
    kind: ArmKind,
    #[schema(example = "Demographics")]
    label: &'static str,
    #[schema(example = "14 lines")]
    detail: &'static str,
    #[serde(flatten)]
    figures: ArmFigures,
    /// Accuracy less that of twins without a profile, over the same people.
    over_empty: Option<Estimate>,
    over_demographics: Option<Estimate>,
    /// Accuracy less that of the best answer without a model (`bestWithoutModel`), over the same people.
    over_best: Option<Estimate>,
    /// Notice to be shown with the figures.
    badge: Option<&'static str>,
    /// Verdicts; none if something leaked.
    verdicts: Vec<TrustVerdict>,
}

/// A task's accuracy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ValidatedTask {
    #[schema(example = "framing")]
    key: &'static str,
    #[schema(example = "Framing")]
    title: &'static str,
    items: usize,
    people: usize,
    /// Accuracy of answers drawn evenly over the scale.
    random: Option<f64>,
    ceiling: Option<Estimate>,
    /// Accuracy of twins without a profile.
    empty: Option<Estimate>,
    /// Accuracy of the headline's twins.
    twins: Option<Estimate>,
    /// The headline's as a share of the ceiling's.
    of_ceiling: Option<f64>,
}

/// Twins against what the people behind them answered twice.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Validation {
    #[serde(flatten)]
    study: ValidationStudy,
    #[serde(flatten)]
    facts: ValidationFacts,
    /// `all` or `quick`.
    #[schema(example = "all")]
    items: &'static str,
    /// Bootstrap samples drawn over people.
    draws: usize,
    /// The ceiling, the twins' arms, and the answers without a language model.
    arms: Vec<ValidatedArm>,
    /// The key of the most accurate of the arms that need no language model and try to be right. It is chosen by the same answers.
    #[schema(example = "median")]
    best_without_model: Option<String>,
    /// Verdicts on the headline.
    verdicts: Vec<TrustVerdict>,
    tasks: Vec<ValidatedTask>,
}

fn named(key: &str) -> (ArmKind, &'static str, &'static str) {
    match key {
        CEILING => (ArmKind::People, "The same people, weeks later", "the ceiling"),
        "wave1_3" => (ArmKind::Twins, "Waves 1-3", "all that was asked before"),
        "summary" => (ArmKind::Twins, "Summary", "the short profile"),
        "demographics" => (ArmKind::Twins, "Demographics", "14 lines"),
        "empty" => (ArmKind::Twins, "Empty", "no profile at all"),
        "random" => (ArmKind::Baseline, "Random", "uniform, no model"),
        "marginal" => (ArmKind::Baseline, "Somebody's answer", "drawn from all people, no model"),
        "modal" => (ArmKind::Baseline, "Most frequent answer", "the same for all, no model"),
        "median" => (ArmKind::Baseline, "Median answer", "the same for all, no model"),
        "ridge" => (ArmKind::Baseline, "Regression on demographics", "ridge, cross-fitted, no language model"),
        _ => (ArmKind::Baseline, "Demographic cell", "the others' mean, no model"),
    }
}

impl Validation {
    fn new(study: ValidationStudy, figures: ValidationFigures) -> Self {
        let ValidationFigures { validated, tasks, mut facts } = figures;
        facts.leaks.extend(better_than_the_ceiling(&validated, &study.headline));
        let place = |key: &str| validated.arms.iter().position(|arm| arm.key == key);
        let places = [place(CEILING), place("empty"), place(&study.headline), place(BASELINES[0])];
        let task = |((key, title), figures): ((&'static str, &'static str), &TaskFigures)| {
            let [ceiling, empty, twins, random] =
                places.map(|place| figures.accuracy.get(place?).and_then(Option::as_ref));
            ValidatedTask {
                key,
                title,
                items: figures.items,
                people: figures.people,
                random: random.map(|estimate| estimate.value),
                of_ceiling: twins.zip(ceiling).map(|(twins, ceiling)| twins.value / ceiling.value),
                ceiling: ceiling.cloned(),
                empty: empty.cloned(),
                twins: twins.cloned(),
            }
        };
        let best = validated.best_without_model().map(|best| best.key.clone());
        let arm = |figures: &ArmFigures| {
            let verdicts = verdicts(&validated, &figures.key, &facts.leaks);
            ValidatedArm::new(figures, best.as_deref(), study.synthetic, verdicts)
        };
        let mut arms: Vec<ValidatedArm> = validated.arms.iter().map(arm).collect();
        // The headline stands below the ceiling.
        if let Some(headline) = arms.iter().position(|arm| arm.figures.key == study.headline).filter(|place| *place > 1)
        {
            arms[1..=headline].rotate_right(1);
        }
        Self {
            items: if study.quick { "quick" } else { "all" },
            draws: validated.draws,
            arms,
            best_without_model: best,
            verdicts: verdicts(&validated, &study.headline, &facts.leaks),
            tasks: tasks.into_iter().zip(&validated.tasks).map(task).filter(|task| task.items > 0).collect(),
            study,
            facts,
        }
    }
}

impl ValidatedArm {
    fn new(figures: &ArmFigures, best: Option<&str>, synthetic: bool, verdicts: Vec<TrustVerdict>) -> Self {
        let (kind, label, detail) = named(&figures.key);
        let over =
            |other: &str| figures.over.iter().find(|(key, _)| key == other).map(|(_, estimate)| estimate.clone());
        // An invented profile was made before the answers were.
        let is_leaky = figures.key == PersonaVariant::Summary.name() && !synthetic;
        Self {
            kind,
            label,
            detail,
            figures: figures.clone(),
            over_empty: over("empty"),
            over_demographics: over("demographics"),
            over_best: best.and_then(over),
            badge: is_leaky.then_some("made from the full record; not provably leak-free"),
            verdicts,
        }
    }
}

/// The figures of a validation, which are stored once all its runs are over.
pub(super) async fn of_study(app: &App, caller: &Caller, study: ValidationStudy) -> Result<Value> {
    if let Some(figures) = study.figures {
        return Ok(figures);
    }
    let permit = admit(app, caller.id, Work::Comparison)?.start().await;
    let found = permit.scope(figures(&app.pool, &study)).await?;
    let (study_id, finished) = (study.id, found.facts.finished);
    let body = serde_json::to_value(Validation::new(study, found)).map_err(ApiError::internal)?;
    if finished {
        let mut conn = db::checkout(&app.pool).await?;
        validations::keep(&mut conn, study_id, &body).await?;
    }
    Ok(body)
}

/// The figures of a validation: twins, baselines and the same people weeks later, compared with people's first answers
///
/// Of the answers that are there; final once its runs are over. What each figure means: `docs/evidence.md`.
#[utoipa::path(
    get, path = "", operation_id = "show_validation",
    responses(
        (status = 200, description = "The figures", body = Validation),
        (status = 409, description = "The study is no validation"),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = validation_of(&mut conn, &caller, *id).await?;
    drop(conn);
    let body = of_study(&app, &caller, study).await?.to_string();
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(body))
}
