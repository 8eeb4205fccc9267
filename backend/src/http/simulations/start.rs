//! Starting a run: what it asks whom, and how.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use simulation::answer_mode::AnswerMode;
use simulation::model_options::{ReasoningEffort, ServiceTier, Verbosity};
use simulation::parameters::{Memory, Parameters, PersonaVariant};
use simulation::plans::document::PlannedRuns;
use survey::walk::CallScope;
use utoipa::ToSchema;
use utoipa::openapi::{Object, Type};

use super::names;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::config::{ModelConfig, ModelServers, model_name};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::http::idempotency::IdempotencyKey;
use crate::http::int_or_string::IntOrString;
use crate::llm;
use crate::models::apportionment::apportion;
use crate::models::groups::{self, Group};
use crate::models::simulations::SimulationRefusal;
use crate::models::simulations::names::NameChanges;
use crate::models::simulations::overview::{self, SimulationOverview};
use crate::models::simulations::start::{NewSimulation, PersonaChoice, PersonaQuota, start};

/// The most questions of one call to the model.
const MAX_QUESTIONS_PER_CALL: u16 = 500;
/// The fewest where a group does not allow calls of single questions: a call's prompt is then shared by so many.
const MIN_SHARED_QUESTIONS: u16 = 5;
/// Query of a start.
const MAX_QUOTAS: usize = 100;
/// Seeds that are not given stay below this, so that every program that reads JSON holds them exactly.
const SEEDS: i64 = 1_000_000_000;

fn user_id_schema() -> Object {
    IntOrString::schema(&[Type::Null])
        .description(Some("The caller, if given, as a number or in digits: nobody starts a run for someone else."))
        .examples([Value::Null])
        .build()
}

/// Parameters of a run and the choice of twins. A field that is left out takes the product's setting.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulationToStart {
    #[serde(default, alias = "user_id")]
    #[schema(schema_with = user_id_schema, required = false)]
    user_id: Option<IntOrString>,
    /// How many twins, 1 to all there are.
    #[serde(default, alias = "persona_count", alias = "selected_persona_count", alias = "totalPersonas")]
    #[schema(example = 100, value_type = i32, minimum = 1, required = true)]
    persona_count: Option<i32>,
    /// These twins, cut to `personaCount` if that is given; ids that are listed twice count once.
    #[serde(default, alias = "selected_persona_ids")]
    #[schema(example = json!(null))]
    selected_persona_ids: Option<Vec<i32>>,
    /// Drawn by the seed, whatever list is given. Without it: unless there is a list.
    #[serde(default, alias = "is_random_selection")]
    #[schema(example = true)]
    is_random_selection: Option<bool>,
    /// So many twins of each kind, drawn by the seed, and nobody twice. With a `personaCount` below their sum, they are
    /// cut to it in proportion, by largest remainders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null), max_items = 100)]
    quotas: Option<Vec<TwinQuota>>,
    /// One of the `models` of the survey's `simulation-config`; super admins may name any.
    #[serde(default)]
    #[schema(example = json!(null), max_length = 200)]
    pub(in crate::http) model: Option<String>,
    #[serde(default)]
    #[schema(example = 0.7, minimum = 0, maximum = 2)]
    temperature: Option<f64>,
    /// Fixes the choice of twins and the order of options; drawn without it.
    #[serde(default)]
    #[schema(example = 42)]
    seed: Option<i64>,
    /// 1: every question is asked alone. At least 5 in a group that does not allow calls of single questions.
    #[serde(default, alias = "questions_per_call")]
    #[schema(example = 20, minimum = 1, maximum = 500)]
    questions_per_call: Option<u16>,
    /// `summary` (the default), `full` or `wave1_3`, in a group that allows long texts, or a baseline: `demographics` or `empty`.
    #[serde(default, alias = "persona_variant")]
    pub(in crate::http) persona_variant: Option<PersonaVariant>,
    /// Shows every twin the options in an order of its own.
    #[serde(default, alias = "shuffle_options")]
    #[schema(example = false)]
    pub(in crate::http) shuffle_options: Option<bool>,
    /// Questions that may share a call: as many as fit (the default), those of a block, or none. Only in a survey with a
    /// design.
    #[serde(default, alias = "call_scope", skip_serializing_if = "Option::is_none")]
    call_scope: Option<CallScope>,
    /// Earlier answers that a twin is reminded of. Without it: all of them where the survey's design reads answers, and
    /// nothing elsewhere. Only in a survey with a design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<Memory>,
    /// Pauses the run once its calls have cost that much, in the currency of its model's price; with at most six
    /// decimals. Only for a model whose price is known.
    #[serde(default, alias = "max_cost", skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null), minimum = 0)]
    max_cost: Option<f64>,
    /// Asks through the model server's Batch API: at its lower price, within a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    batch: Option<bool>,
    /// Keeps what the model replied to each call, word for word: a bundle then begins at these replies. They are deleted with the run.
    #[serde(default, alias = "keep_replies", skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    keep_replies: Option<bool>,
    /// How much a reasoning model reasons before it answers. Without it: as much as the model does by itself.
    #[serde(default, alias = "reasoning_effort", skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub(in crate::http) reasoning_effort: Option<ReasoningEffort>,
    /// How many words the model answers with. Without it: the model's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    verbosity: Option<Verbosity>,
    /// The model server's service tier. Without it: its own.
    #[serde(default, alias = "service_tier", skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    service_tier: Option<ServiceTier>,
    /// Leaves out parameters that the model does not take or act on, and says so. Otherwise a run with a parameter that is known
    /// to be one of these does not start, and a run pauses at the first refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    lenient: Option<bool>,
    /// Kind of answer that the twins are asked for: one answer (`draw`, the default), the probability of each option and the quantiles of
    /// numbers (`stated`), or the letter of an option, whose probabilities the model server gives (`tokens`). The answer is
    /// drawn from the probabilities by the seed. An answer costs one credit either way.
    #[serde(default, alias = "answer_mode", skip_serializing_if = "Option::is_none")]
    #[schema(example = "draw")]
    answer_mode: Option<AnswerMode>,
    /// Asks each question so often, where its answers have a distribution: the shares of the answers are stored, and one of
    /// them, drawn by the seed, is the answer. It costs one credit, and the tokens of so many answers. Not with another
    /// `answerMode` or with `keepReplies`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null), minimum = 2, maximum = 20)]
    draws: Option<u16>,
    /// Name of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Pilot of the wording", max_length = 120)]
    name: Option<String>,
    /// Note about the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null), max_length = 2000)]
    note: Option<String>,
}

/// So many twins with these attributes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TwinQuota {
    #[schema(example = 100, minimum = 1)]
    n: i32,
    /// The wanted value of each attribute, or several of which any is wanted, by its label.
    #[serde(flatten)]
    attributes: BTreeMap<String, WantedValues>,
}

/// Values of an attribute.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
enum WantedValues {
    #[schema(example = "Female")]
    One(String),
    Several(Vec<String>),
}

impl WantedValues {
    fn values(&self) -> Vec<String> {
        match self {
            Self::One(value) => vec![value.clone()],
            Self::Several(values) => values.clone(),
        }
    }
}

impl SimulationToStart {
    /// These twins, and the product's settings but for model and temperature.
    pub(in crate::http) fn of_twins(twins: &[i32], model: Option<String>, temperature: Option<f64>, seed: i64) -> Self {
        Self {
            user_id: None,
            persona_count: None,
            selected_persona_ids: Some(twins.to_vec()),
            is_random_selection: Some(false),
            quotas: None,
            model,
            temperature,
            seed: Some(seed),
            questions_per_call: None,
            persona_variant: None,
            shuffle_options: None,
            call_scope: None,
            memory: None,
            max_cost: None,
            batch: None,
            keep_replies: None,
            reasoning_effort: None,
            verbosity: None,
            service_tier: None,
            lenient: None,
            answer_mode: None,
            draws: None,
            name: None,
            note: None,
        }
    }

    /// These parameters with another model, text and effort.
    pub(in crate::http) fn with(
        &self,
        model: Option<String>,
        variant: Option<PersonaVariant>,
        reasoning_effort: Option<ReasoningEffort>,
        seed: i64,
    ) -> Self {
        Self { model, persona_variant: variant, reasoning_effort, seed: Some(seed), ..self.clone() }
    }

    /// Takes what is left out from the plan.
    pub(in crate::http) fn or(self, planned: &PlannedRuns) -> Self {
        let chosen = self.selected_persona_ids.is_some() || self.quotas.is_some();
        Self {
            persona_count: self.persona_count.or(planned.persona_count.filter(|_| !chosen)),
            seed: self.seed.or(planned.seed),
            temperature: self.temperature.or(planned.temperature),
            questions_per_call: self.questions_per_call.or(planned.questions_per_call),
            call_scope: self.call_scope.or(planned.call_scope),
            shuffle_options: self.shuffle_options.or(planned.shuffle_options),
            memory: self.memory.or(planned.memory),
            ..self
        }
    }

    pub(in crate::http) fn choice(&self) -> Result<PersonaChoice> {
        let count = self.persona_count;
        if count.is_some_and(|count| count < 1) {
            return Err(ApiError::invalid("personaCount must be at least 1"));
        }
        if let Some(quotas) = &self.quotas {
            return self.quotas(quotas);
        }
        let random = self.is_random_selection.unwrap_or(self.selected_persona_ids.is_none());
        match (random, &self.selected_persona_ids, count) {
            (true, _, Some(count)) => Ok(PersonaChoice::Random(count)),
            (true, _, None) => Err(ApiError::invalid("personaCount is required")),
            (false, Some(ids), _) if !ids.is_empty() => {
                let most = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
                Ok(PersonaChoice::Ids(ids.iter().copied().take(most).collect()))
            }
            (false, ..) => Err(ApiError::invalid("selectedPersonaIds: select at least one digital twin")),
        }
    }

    fn quotas(&self, quotas: &[TwinQuota]) -> Result<PersonaChoice> {
        if self.selected_persona_ids.is_some() {
            return Err(ApiError::invalid("quotas: choose the twins by quotas or by selectedPersonaIds, not by both"));
        }
        if quotas.is_empty() || quotas.len() > MAX_QUOTAS {
            return Err(ApiError::Invalid(format!("quotas: there must be 1 to {MAX_QUOTAS} of them")));
        }
        for (place, TwinQuota { n, attributes }) in quotas.iter().enumerate() {
            if *n < 1 {
                return Err(ApiError::Invalid(format!("quotas[{place}].n must be at least 1")));
            }
            if attributes.is_empty() {
                return Err(ApiError::Invalid(format!("quotas[{place}]: name an attribute of the twins")));
            }
        }
        let sum: i64 = quotas.iter().map(|quota| i64::from(quota.n)).sum();
        let count = self.persona_count.map_or(sum, i64::from);
        if count > sum {
            return Err(ApiError::Invalid(format!("quotas: they are of {sum} twins, fewer than personaCount")));
        }
        let shares = apportion(&quotas.iter().map(|quota| i64::from(quota.n)).collect::<Vec<_>>(), count);
        let quota = |(TwinQuota { attributes, .. }, count): (&TwinQuota, i64)| {
            let attributes = attributes.iter().map(|(label, values)| (label.clone(), values.values())).collect();
            // No share is above its quota, which is an `i32`.
            PersonaQuota { attributes, count: count as i32 }
        };
        let asked = quotas.iter().zip(shares).filter(|(_, count)| *count > 0);
        Ok(PersonaChoice::Quotas(asked.map(quota).collect()))
    }

    pub(in crate::http) fn must_be_by(&self, caller: &Caller) -> Result<()> {
        match &self.user_id {
            Some(IntOrString(user)) if *user != caller.id => {
                let message = "userId is not the caller's: nobody starts a run for someone else";
                Err(ApiError::Forbidden(message.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// The cap on the cost of a run with these parameters, in micro-units.
    pub(in crate::http) fn cap(&self, parameters: &Parameters) -> Result<Option<i64>> {
        let max_cost = self.max_cost.map(names::cap).transpose()?;
        if max_cost.is_some() && parameters.price.is_none() { Err(names::no_price()) } else { Ok(max_cost) }
    }

    pub(in crate::http) fn seed_or_drawn(&self) -> i64 {
        self.seed.unwrap_or_else(drawn_seed)
    }

    pub(in crate::http) fn names(&self) -> Result<NameChanges> {
        names::checked(self.name.clone().map(Some), self.note.clone().map(Some))
    }

    pub(in crate::http) fn parameters(
        &self,
        models: &ModelServers,
        caller: &Caller,
        group: &Group,
    ) -> Result<Parameters> {
        let named = self.model.as_deref().map(model_name).transpose();
        let named = named.map_err(|reason| ApiError::Invalid(format!("model {reason}")))?;
        let named = named.unwrap_or_else(|| models.main_name());
        let not_allowed = |message| ApiError::Invalid(message).with_code("model_not_allowed");
        let found = models.resolve(&named).map_err(|reason| format!("model {named:?} {reason}"));
        let is_listed = found.as_ref().is_ok_and(|(server, model)| server.models.contains(model));
        if !is_listed && !caller.is_super_admin() {
            let names: Vec<String> = models.listed().into_iter().map(|(name, _)| name).collect();
            return Err(not_allowed(format!("model must be one of {}", names.join(", "))));
        }
        let (settings, model) = found.map_err(not_allowed)?;
        if self.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return Err(ApiError::invalid("temperature must be between 0 and 2"));
        }
        let questions_per_call = self.questions_per_call.unwrap_or(settings.questions_per_call);
        if !(1..=MAX_QUESTIONS_PER_CALL).contains(&questions_per_call) {
            return Err(ApiError::Invalid(format!("questionsPerCall must be between 1 and {MAX_QUESTIONS_PER_CALL}")));
        }
        let fewest = fewest_questions_per_call(settings, group);
        if questions_per_call < fewest {
            let message = format!("questionsPerCall must be at least {fewest} in this group");
            return Err(ApiError::Invalid(message).with_code("questions_per_call_too_small"));
        }
        let persona_variant = self.persona_variant.unwrap_or_default();
        let is_long = matches!(persona_variant, PersonaVariant::Full | PersonaVariant::Waves1To3);
        if is_long && !group.allow_full_personas {
            let message = "personaVariant must be summary in this group";
            return Err(ApiError::invalid(message).with_code("full_personas_not_allowed"));
        }
        let batch = self.batch.unwrap_or(false);
        let parameters = Parameters {
            model_server: settings.of_parameters(),
            wire: settings.wire,
            price: settings.prices.of_run(&model, batch, self.service_tier),
            temperature: self.temperature,
            persona_variant,
            shuffle_options: self.shuffle_options.unwrap_or(false),
            call_scope: self.call_scope.unwrap_or_default(),
            memory: self.memory,
            batch,
            keep_replies: self.keep_replies.unwrap_or(false),
            reasoning_effort: self.reasoning_effort,
            verbosity: self.verbosity,
            service_tier: self.service_tier,
            lenient: self.lenient.unwrap_or(false),
            stream: settings.streams(batch),
            answer_mode: self.answer_mode.unwrap_or_default(),
            draws: self.draws,
            ..Parameters::new(model, self.seed_or_drawn(), questions_per_call)
        };
        match parameters.distribution_refusal() {
            Some(reason) => Err(ApiError::Invalid(reason)),
            None => Ok(parameters),
        }
    }
}

/// Fits runs to what is known of their models. Fails if a model does not act on a parameter of a run that is not lenient.
pub(in crate::http) async fn fit_to_models(
    conn: &mut AsyncPgConnection,
    models: &ModelServers,
    runs: &mut [Parameters],
) -> Result<()> {
    match llm::fit_runs(conn, models, runs).await? {
        Err(reason) => Err(ApiError::Invalid(reason).with_code("parameter_not_taken")),
        Ok(()) => Ok(()),
    }
}

pub(in crate::http) fn drawn_seed() -> i64 {
    rand::rng().random_range(0..SEEDS)
}

/// The fewest questions that a call of the group's simulations may ask.
pub fn fewest_questions_per_call(settings: &ModelConfig, group: &Group) -> u16 {
    if group.allow_single_question_calls { 1 } else { MIN_SHARED_QUESTIONS.min(settings.questions_per_call) }
}

/// Starts a run of a survey: sets `personas × questions` credits aside and freezes the survey
///
/// Sent again under the same `Idempotency-Key`, it answers the same and starts nothing.
#[utoipa::path(
    post, path = "",
    params(IdempotencyKey),
    responses(
        (status = 201, description = "The run, queued", body = SimulationOverview),
        (status = 402, description = "Not enough credits; the message says how many are needed and available"),
        (
            status = 409,
            description = "No questions, no twins, an active run, a closed group, or the key was used for something else"
        )
    )
)]
pub async fn start_simulation(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    key: IdempotencyKey,
    Json(asked): Json<SimulationToStart>,
) -> Result<HttpResponse> {
    let models = &app.config.models;
    let mut conn = db::checkout(&app.pool).await?;
    let survey = rules::survey(&mut conn, &caller, *id, Right::Own).await?;
    let group = groups::find(&mut conn, survey.group_id).await?.ok_or(SimulationRefusal::NotAMember)?;
    let names = asked.names()?;
    let (choice, mut parameters) = (asked.choice()?, asked.parameters(models, &caller, &group)?);
    asked.must_be_by(&caller)?;
    fit_to_models(&mut conn, models, std::slice::from_mut(&mut parameters)).await?;
    let max_cost = asked.cap(&parameters)?;
    let (user_id, demo_model) = (caller.id, models.main().is_demo());
    let new = NewSimulation { max_cost, names, ..NewSimulation::new(*id, user_id, choice, parameters, demo_model) };
    key.once(&mut conn, caller.id, &asked, StatusCode::CREATED, async |conn| {
        let run = start(conn, new).await?;
        Ok(overview::find(conn, run.id).await?)
    })
    .await
}
