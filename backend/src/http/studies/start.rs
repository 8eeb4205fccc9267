//! Starting a study: all its runs at once, for one price.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use simulation::json_objects;
use simulation::model_options::ReasoningEffort;
use simulation::parameters::{MAX_RUNS, Parameters, PersonaVariant};
use simulation::plans::document::PlannedRuns;
use survey::walk::OptionOrder;
use utoipa::ToSchema;
use uuid::Uuid;

use super::StudyOverview;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::config::ModelServers;
use crate::db;
use crate::engine::shared_limits;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Json, Query};
use crate::http::idempotency::IdempotencyKey;
use crate::http::simulations::start::{SimulationToStart, fit_to_models};
use crate::llm::prompt;
use crate::models::group_members;
use crate::models::groups::{self, Group};
use crate::models::simulations::SimulationRefusal;
use crate::models::simulations::pricing::{PlannedRun, StudyPrice};
use crate::models::studies::{NewStudy, cells_of};

/// How arms are given to twins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum StudyArms {
    /// Each twin is dealt one.
    #[default]
    Split,
    /// Every twin is asked in every combination of arms, each time in a run of its own.
    All,
}

/// One run for each combination of arms, variants, models, efforts, orders and repeats. What is left out is as in a single run,
/// and all runs share the rest: the twins, the seed and how they are asked.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StudyToStart {
    /// Parameters that all runs share. `model` and `personaVariant` hold where the lists are not given; `name` and `note` are the
    /// study's; `maxCost` is that of each run.
    #[serde(deserialize_with = "json_objects::object")]
    run: SimulationToStart,
    /// Arms of the runs; by default those of the plan, or `split`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arms: Option<StudyArms>,
    /// The texts of the twins, each once. With `demographics` and `empty` the study has its baselines.
    #[serde(default)]
    #[schema(example = json!(["summary", "demographics", "empty"]))]
    variants: Vec<PersonaVariant>,
    /// Each once.
    #[serde(default)]
    #[schema(example = json!([]))]
    models: Vec<String>,
    /// How much the model reasons, each once. `reasoningEffort` holds where the list is not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([]))]
    reasoning_efforts: Vec<ReasoningEffort>,
    /// How often everything is asked. The model server is sent another seed each time; what twins are dealt stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1, minimum = 1, maximum = 60)]
    repeats: Option<u16>,
    /// Order in which options and labels are shown; not together with `shuffleOptions`.
    #[serde(default)]
    #[schema(example = json!(["as_written"]))]
    orders: Vec<OptionOrder>,
    /// The plan of the survey that the study follows: what is left out here is as planned, and what is another is noted as a
    /// deviation once the plan is frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    plan_id: Option<Uuid>,
}

impl StudyToStart {
    pub(in crate::http) fn of_variants(run: SimulationToStart, variants: Vec<PersonaVariant>, repeats: u16) -> Self {
        let (arms, repeats) = (Some(StudyArms::Split), Some(repeats));
        Self {
            run,
            arms,
            variants,
            models: Vec::new(),
            reasoning_efforts: Vec::new(),
            repeats,
            orders: Vec::new(),
            plan_id: None,
        }
    }

    /// Takes what is left out from the plan.
    fn planned(mut self, planned: &PlannedRuns) -> Self {
        let PlannedRuns { models, variants, every_arm, repeats, orders, .. } = planned;
        if self.variants.is_empty() && self.run.persona_variant.is_none() {
            self.variants.clone_from(variants);
        }
        if self.models.is_empty() && self.run.model.is_none() {
            self.models.clone_from(models);
        }
        if self.orders.is_empty() && self.run.shuffle_options != Some(true) {
            self.orders.clone_from(orders);
        }
        let arms = |every: bool| if every { StudyArms::All } else { StudyArms::Split };
        self.arms = self.arms.or(every_arm.map(arms));
        self.repeats = self.repeats.or(*repeats);
        let reversed = self.orders.contains(&OptionOrder::Reversed);
        self.run = self.run.or(&PlannedRuns {
            // Both at once are refused.
            shuffle_options: planned.shuffle_options.filter(|_| !reversed),
            ..planned.clone()
        });
        self
    }

    /// The parameters of each run: by variant, then model, effort, order and repeat.
    pub(in crate::http) fn cells(
        &self,
        settings: &ModelServers,
        caller: &Caller,
        group: &Group,
    ) -> Result<Vec<Parameters>> {
        let Self { run, variants, models, reasoning_efforts: efforts, repeats, orders, .. } = self;
        let repeats = repeats.unwrap_or(1);
        if !(1..=MAX_RUNS).contains(&usize::from(repeats)) {
            return Err(ApiError::Invalid(format!("repeats must be between 1 and {MAX_RUNS}")));
        }
        if run.shuffle_options == Some(true) && orders.contains(&OptionOrder::Reversed) {
            return Err(ApiError::invalid("orders: options cannot be shuffled and reversed at once"));
        }
        let variants = each("variants", variants, run.persona_variant.unwrap_or_default())?;
        let default_model = run.model.clone().unwrap_or_else(|| settings.main_name());
        let models = each("models", models, default_model)?;
        let efforts: Vec<_> = efforts.iter().copied().map(Some).collect();
        let efforts = each("reasoningEfforts", &efforts, run.reasoning_effort)?;
        let orders = each("orders", orders, OptionOrder::AsWritten)?;
        if variants.len() * models.len() * efforts.len() * orders.len() * usize::from(repeats) > MAX_RUNS {
            return Err(SimulationRefusal::TooManyRuns.into());
        }
        let seed = run.seed_or_drawn();
        let mut cells = Vec::new();
        for variant in variants {
            for model in &models {
                for effort in &efforts {
                    let run = run.with(Some(model.clone()), Some(variant), *effort, seed);
                    cells.extend(cells_of(&run.parameters(settings, caller, group)?, &orders, repeats));
                }
            }
        }
        Ok(cells)
    }
}

/// The list, or the one value if the list is empty. Fails if a value is listed twice.
fn each<T: Clone + Eq + std::hash::Hash>(field: &str, list: &[T], one: T) -> Result<Vec<T>> {
    let mut seen = std::collections::HashSet::new();
    if list.iter().any(|item| !seen.insert(item)) {
        return Err(ApiError::Invalid(format!("{field}: each may be listed once")));
    }
    Ok(if list.is_empty() { vec![one] } else { list.to_vec() })
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StudyQuery {
    /// Only says what the study would take: nothing is started.
    #[serde(default)]
    #[param(example = true)]
    pub(in crate::http) price: bool,
}

/// Answers with the price of runs that the caller would pay for in the group. `noun`: what is started.
pub(in crate::http) async fn price(
    conn: &mut AsyncPgConnection,
    models: &ModelServers,
    group: &Group,
    caller: &Caller,
    runs: Vec<PlannedRun>,
    noun: &str,
) -> Result<HttpResponse> {
    let available = group_members::available(conn, group.id, caller.id).await?;
    let limits = shared_limits(conn, models).await?;
    let price = StudyPrice::compute(conn, runs, available, limits, (noun, models.main().is_demo())).await?;
    Ok(HttpResponse::Ok().json(price))
}

/// Starts all runs of a study, or none: sets the credits of each aside
///
/// The survey must have no active run; while the study has one, no other can be started. With `?price=true` it says what
/// the runs would take of credits, calls, tokens, money and time, and starts nothing; a single run is priced as a study of one. Sent again under the same `Idempotency-Key`, it answers the same and starts
/// nothing.
#[utoipa::path(
    post, path = "",
    params(StudyQuery, IdempotencyKey),
    responses(
        (status = 200, description = "With `price`: what it would take", body = StudyPrice),
        (status = 201, description = "The study, its runs queued", body = StudyOverview),
        (status = 402, description = "Not enough credits; the message says how many are needed and available"),
        (
            status = 409,
            description = "No questions, no twins, an active run, a closed group, a plan that has its study, or the key was used for something else"
        )
    )
)]
pub async fn start_study(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Query(query): Query<StudyQuery>,
    key: IdempotencyKey,
    Json(asked): Json<StudyToStart>,
) -> Result<HttpResponse> {
    let models = &app.config.models;
    let mut conn = db::checkout(&app.pool).await?;
    let survey = rules::survey(&mut conn, &caller, *id, Right::Own).await?;
    let group = groups::find(&mut conn, survey.group_id).await?.ok_or(SimulationRefusal::NotAMember)?;
    let plan = match asked.plan_id {
        Some(id) => Some(rules::plan(&mut conn, &caller, id, Right::Own).await?),
        None => None,
    };
    let asked = match &plan {
        Some(plan) => asked.planned(&plan.document().map_err(ApiError::internal)?.run),
        None => asked,
    };
    let names = asked.run.names()?;
    asked.run.must_be_by(&caller)?;
    let mut cells = asked.cells(models, &caller, &group)?;
    fit_to_models(&mut conn, models, &mut cells).await?;
    let mut max_cost = None;
    for parameters in &cells {
        max_cost = asked.run.cap(parameters)?;
    }
    let study = NewStudy {
        survey_id: *id,
        user_id: caller.id,
        choice: asked.run.choice()?,
        demo_model: models.main().is_demo(),
        cells,
        every_arm: asked.arms == Some(StudyArms::All),
        name: names.name.flatten(),
        note: names.note.flatten(),
        max_cost,
        plan: plan.map(|plan| plan.id),
    };
    if query.price {
        let runs = study.planned_runs(&mut conn, prompt::measure).await?;
        let noun = if runs.len() == 1 { "run" } else { "study" };
        return price(&mut conn, models, &group, &caller, runs, noun).await;
    }
    key.once(&mut conn, caller.id, &asked, StatusCode::CREATED, async |conn| {
        let id = study.start(conn).await?;
        StudyOverview::find(conn, id).await
    })
    .await
}
