//! The runs of a survey: their history, the state of the latest, and a preview of the next.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use simulation::money::Price;
use simulation::parameters::PersonaVariant;
use simulation::status::Status;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::config::{ModelConfig, ModelServers, Prices};
use crate::db;
use crate::engine::{Limits, shared_limits};
use crate::http::error::Result;
use crate::http::page::{Page, PageQuery};
use crate::http::simulations::start::fewest_questions_per_call;
use crate::models::groups::{self, Group};
use crate::models::personas;
use crate::models::simulations::overview::{self, SimulationCondition, SimulationFilter, SimulationOverview};
use crate::models::simulations::preview::{PersonaTotals, StartPreview};
use crate::models::simulations::progress::Progress;
use crate::models::simulations::speed::median_call_seconds;
use crate::models::simulations::workload::{QUESTION_TOKENS, TOKEN_BYTES};
use crate::models::surveys::overview as surveys;
use crate::schema::simulations;

/// The survey's runs, newest first
#[utoipa::path(
    get, path = "",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<SimulationOverview>))
)]
pub async fn simulation_history(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    page: PageQuery,
) -> Result<Page<SimulationOverview>> {
    use diesel::ExpressionMethods;

    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    let which = || -> SimulationCondition { Box::new(simulations::survey_id.eq(*id)) };
    let (rows, total) = overview::list(&mut conn, which, SimulationFilter::default(), page.limit, page.offset).await?;
    Ok(Page { rows, total })
}

/// How a survey stands with its runs.
#[derive(Debug, Serialize, ToSchema)]
struct SurveyStatus {
    #[serde(rename = "surveyId")]
    #[schema(example = 12)]
    survey_id: i64,
    /// The latest run's state; null where there was none.
    #[schema(value_type = Option<Status>)]
    simulation_status: Option<String>,
    simulation_completed_at: Option<DateTime<Utc>>,
    /// The latest run.
    #[serde(rename = "simulationId")]
    simulation_id: Option<Uuid>,
    #[serde(rename = "isLocked")]
    #[schema(example = true)]
    is_locked: bool,
    /// Progress of the latest run.
    #[schema(value_type = Option<Progress>)]
    progress: Option<Arc<Progress>>,
}

/// How the survey's latest run stands, if there was one
#[utoipa::path(get, path = "", responses((status = 200, description = "The survey's state", body = SurveyStatus)))]
pub async fn simulation_status(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    let survey = surveys::find(&mut conn, *id).await?;
    let latest = match survey.simulation_id {
        Some(_) => Some(rules::latest_run(&mut conn, &caller, *id).await?.0),
        None => None,
    };
    // Reading the progress may need a connection.
    drop(conn);
    let progress = match latest {
        Some(simulation) => app.progress.get(&app.pool, simulation).await?,
        None => None,
    };
    Ok(HttpResponse::Ok().json(SurveyStatus {
        survey_id: survey.survey.id,
        simulation_status: survey.simulation_status,
        simulation_completed_at: survey.simulation_completed_at,
        simulation_id: survey.simulation_id,
        is_locked: survey.survey.is_locked,
        progress,
    }))
}

/// Upper limit of the missing persona ids that are listed.
const MAX_MISSING_IDS: i64 = 1000;

/// Conditions of the caller's next run of a survey.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SimulationConfig {
    /// Whether a twin can be asked now.
    #[schema(example = true)]
    can_simulate: bool,
    /// Why not.
    #[schema(example = "Survey already has an active simulation")]
    reason: Option<String>,
    /// The most that can be asked with the caller's credits.
    #[schema(example = 1000)]
    max_personas: i64,
    /// All there are.
    #[schema(example = 2058)]
    total_personas: i64,
    /// The highest id. Ids begin at 1; some are missing where twins were deleted.
    #[schema(example = 2058)]
    last_persona_id: i32,
    /// Ids that are missing below the highest id; the first 1,000.
    #[schema(example = json!([]))]
    missing_persona_ids: Vec<i32>,
    #[schema(example = 10)]
    question_count: i64,
    /// The caller's credits in the survey's group that no run holds.
    #[schema(example = 10_000)]
    available_credits: i64,
    #[schema(example = "gpt-4.1-mini")]
    model: String,
    /// The models that the caller may name; super admins may name others, too.
    #[schema(example = json!(["gpt-4.1-mini"]))]
    models: Vec<String>,
    /// Names of the model servers by model. Models of the short form's server are left out.
    #[schema(example = json!({"gpt-4.1-mini": "openai"}))]
    model_servers: BTreeMap<String, String>,
    /// `personaVariant` may be `full`.
    #[schema(example = true)]
    allow_full_personas: bool,
    /// The texts that all twins have and the group allows.
    #[schema(example = json!(["summary", "demographics", "empty"]))]
    persona_variants: Vec<PersonaVariant>,
    /// The fewest `questionsPerCall`.
    #[schema(example = 1)]
    min_questions_per_call: u16,
    /// Answers would come from the built-in demo model, not from a language model.
    demo_model: bool,
    #[schema(example = 20)]
    questions_per_call: u16,
    /// Estimated tokens of one twin's interview, prompts and answers together.
    #[schema(example = 4900)]
    tokens_per_persona: i64,
    /// Estimated tokens of one twin's profile, which is in each of its calls.
    #[schema(example = 4000)]
    tokens_per_profile: i64,
    /// Estimated tokens of one question with its options, and its answer.
    #[schema(example = 90)]
    tokens_per_question: i64,
    /// Calls that the model server takes, shared by all runs: as set, or as the server named it. Null: no limit.
    #[schema(example = 500)]
    requests_per_minute: Option<u32>,
    /// Tokens that it takes, likewise.
    #[schema(example = 200_000)]
    tokens_per_minute: Option<u32>,
    /// Calls at a time, shared by all runs; null where there is no limit.
    #[schema(example = 256)]
    concurrency: Option<u32>,
    /// Seconds that a call of `model` takes: the median of the newest run that it finished. Null: none was measured.
    #[schema(example = 3.2)]
    call_seconds: Option<f64>,
    /// Limits of each model's own server, by model as `models` names them.
    limits: BTreeMap<String, ModelLimits>,
    /// Prices of tokens by model; models without a known price are left out.
    prices: BTreeMap<String, Price>,
    /// Prices of tokens in runs with `batch`, if known.
    batch_prices: BTreeMap<String, Price>,
}

/// Conditions of the next run of a survey
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "What the run would find", body = SimulationConfig))
)]
pub async fn simulation_config(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let (survey, refusal) = rules::seen_survey(&mut conn, &caller, *id).await?;
    let twins = PersonaTotals::current(&mut conn).await?;
    let preview = StartPreview::load(&mut conn, twins, *id, survey.group_id, caller.id).await?;
    let reason = match refusal {
        None => preview.refusal().map(|refusal| refusal.to_string()),
        Some(refusal) => Some(refusal.to_string()),
    };
    let complete = twins.total == i64::from(twins.last_id);
    let missing_persona_ids =
        if complete { Vec::new() } else { personas::missing_ids(&mut conn, MAX_MISSING_IDS).await? };
    let group = groups::find(&mut conn, survey.group_id).await?;
    let long = group.as_ref().is_some_and(|group| group.allow_full_personas);
    let persona_variants = personas::variants(&mut conn, long).await?;
    let models = &app.config.models;
    let model = models.main();
    let limits = Limits::new(model).shared(&mut conn, &model.name).await?;
    let call_seconds = median_call_seconds(&mut conn, model.of_parameters().as_deref(), &model.model).await?;
    let calls = (preview.questions + i64::from(model.questions_per_call) - 1) / i64::from(model.questions_per_call);
    Ok(HttpResponse::Ok().json(SimulationConfig {
        can_simulate: reason.is_none(),
        reason,
        max_personas: preview.max_personas(),
        total_personas: twins.total,
        last_persona_id: twins.last_id,
        missing_persona_ids,
        question_count: preview.questions,
        available_credits: preview.available.unwrap_or_default(),
        model: models.main_name(),
        models: models.listed().into_iter().map(|(name, _)| name).collect(),
        model_servers: models.by_model(),
        allow_full_personas: long,
        persona_variants,
        min_questions_per_call: group.as_ref().map_or(1, |group| fewest_questions_per_call(model, group)),
        demo_model: model.is_demo(),
        questions_per_call: model.questions_per_call,
        tokens_per_persona: calls * twins.text_bytes / TOKEN_BYTES + preview.questions * QUESTION_TOKENS,
        tokens_per_profile: twins.text_bytes / TOKEN_BYTES,
        tokens_per_question: QUESTION_TOKENS,
        requests_per_minute: limits.rates.rpm,
        tokens_per_minute: limits.rates.tpm,
        concurrency: limits.concurrency,
        call_seconds,
        limits: of_servers(&mut conn, models, group.as_ref()).await?,
        prices: of_models(models, Prices::find),
        batch_prices: of_models(models, Prices::of_batch),
    }))
}

/// Limits of a model's server, over all runs that ask it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ModelLimits {
    /// Calls a minute; null: no limit.
    #[schema(example = 500)]
    requests_per_minute: Option<u32>,
    /// Tokens a minute; null: no limit.
    #[schema(example = 200_000)]
    tokens_per_minute: Option<u32>,
    /// Calls at a time; null: no limit.
    #[schema(example = 256)]
    concurrency: Option<u32>,
    /// `questionsPerCall` of runs that state none.
    #[schema(example = 20)]
    questions_per_call: u16,
    /// The fewest `questionsPerCall`.
    #[schema(example = 1)]
    min_questions_per_call: u16,
}

async fn of_servers(
    conn: &mut AsyncPgConnection,
    models: &ModelServers,
    group: Option<&Group>,
) -> Result<BTreeMap<String, ModelLimits>> {
    let shared = shared_limits(conn, models).await?;
    let mut limits = BTreeMap::new();
    for (name, server) in models.listed() {
        let of_server = shared.get(&server.name).copied().unwrap_or_default();
        let of_model = ModelLimits {
            requests_per_minute: of_server.rates.rpm,
            tokens_per_minute: of_server.rates.tpm,
            concurrency: of_server.concurrency,
            questions_per_call: server.questions_per_call,
            min_questions_per_call: group.map_or(1, |group| fewest_questions_per_call(server, group)),
        };
        limits.insert(name, of_model);
    }
    Ok(limits)
}

fn of_models(
    models: &ModelServers,
    price: impl for<'a> Fn(&'a Prices, &str) -> Option<&'a Price>,
) -> BTreeMap<String, Price> {
    let of = |(name, _): (String, &ModelConfig)| {
        let (server, model) = models.resolve(&name).ok()?;
        Some((name.clone(), price(&server.prices, &model)?.clone()))
    };
    models.listed().into_iter().filter_map(of).collect()
}
