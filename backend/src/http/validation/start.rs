//! Starting a validation: a survey of its own, and a study over it.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use simulation::parameters::PersonaVariant;
use simulation::prompt_cache::SharedTexts;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::{self, Caller};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Json, Query};
use crate::http::idempotency::IdempotencyKey;
use crate::http::simulations::start::{SimulationToStart, drawn_seed, fit_to_models};
use crate::http::studies::StudyOverview;
use crate::http::studies::start::{self as studies, StudyQuery, StudyToStart};
use crate::models::held_out;
use crate::models::personas;
use crate::models::simulations::pricing::{StudyPrice, TextSizes};
use crate::models::simulations::start::PersonaChoice;
use crate::models::simulations::workload::{PromptSizes, Workload, choose_prompt_cache};
use crate::models::studies::NewStudy;
use crate::models::surveys::NewSurvey;
use crate::models::validations;
use crate::validation::figures::find_profile_leak;
use crate::validation::set::Validatable;
use crate::validation::survey::{self, AskedTask, requests};

/// Twins of a validation that names no number.
const TWINS: i32 = 100;

/// Questions that a validation asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ValidationItems {
    /// All that are held out.
    #[default]
    All,
    /// 24, drawn evenly over the tasks.
    Quick,
}

/// Parameters of a validation. A field that is left out takes the product's setting.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidationToStart {
    /// Group whose credits it takes, from the caller's share of them.
    #[schema(example = 7)]
    group_id: i64,
    /// Drawn by the seed among the twins whose person answered; all of them if there are fewer.
    #[serde(default)]
    #[schema(example = 100, minimum = 1)]
    persona_count: Option<i32>,
    /// Each once. Without it: the headline, `demographics` and `empty`. Never `full`, which holds the answers.
    #[serde(default)]
    #[schema(example = json!(["summary", "demographics", "empty"]))]
    variants: Vec<PersonaVariant>,
    /// How often everything is asked.
    #[serde(default)]
    #[schema(example = 1, minimum = 1, maximum = 60)]
    repeats: Option<u16>,
    #[serde(default)]
    items: ValidationItems,
    #[serde(default)]
    #[schema(example = json!(null), max_length = 200)]
    model: Option<String>,
    #[serde(default)]
    #[schema(example = json!(null), minimum = 0, maximum = 2)]
    temperature: Option<f64>,
    #[serde(default)]
    #[schema(example = 42)]
    seed: Option<i64>,
}

/// Starts a validation of the current twins: a private survey of the caller and a study over it
///
/// Each twin is asked the questions that its person answered twice and that are held out from it. With `?price=true` it returns the price,
/// and starts nothing. Sent again under the same `Idempotency-Key`, it answers the same and starts nothing.
#[utoipa::path(
    post, path = "", operation_id = "start_validation",
    params(StudyQuery, IdempotencyKey),
    responses(
        (status = 200, description = "With `price`: what it would take", body = StudyPrice),
        (status = 201, description = "The study, its runs queued", body = StudyOverview),
        (status = 402, description = "Not enough credits; the message says how many are needed and available"),
        (
            status = 409,
            description = "The set is not the current one or cannot be validated, a profile holds what is held out, the group is closed, or the key was used for something else"
        )
    )
)]
pub async fn start(
    app: Data<App>,
    caller: Caller,
    set_id: Path<i32>,
    Query(query): Query<StudyQuery>,
    key: IdempotencyKey,
    Json(asked): Json<ValidationToStart>,
) -> Result<HttpResponse> {
    caller.must_have_surveys()?;
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::membership(&mut conn, &caller, asked.group_id).await?;
    let set = personas::current_set(&mut conn).await?.filter(|set| set.id == *set_id);
    let set = set.ok_or_else(|| ApiError::conflict("These twins are not the current ones any more"))?;
    let of = Validatable::of(&mut conn, set).await?.map_err(|(_, reason)| ApiError::Conflict(reason))?;
    let variants = asked.variants(&of)?;
    let seed = asked.seed.unwrap_or_else(drawn_seed);
    let count = usize::try_from(asked.persona_count.unwrap_or(TWINS)).ok().filter(|count| *count > 0);
    let count = count.ok_or_else(|| ApiError::invalid("personaCount must be at least 1"))?;
    let chosen = held_out::choose(&mut conn, of.set.id, count, seed).await?;
    let twins: Vec<i32> = chosen.iter().map(|(twin, _)| *twin).collect();
    let tasks = survey::asked(&of.questions, asked.items == ValidationItems::Quick);

    let run = SimulationToStart::of_twins(&twins, asked.model.clone(), asked.temperature, seed);
    let study = StudyToStart::of_variants(run, variants.clone(), asked.repeats.unwrap_or(1));
    let mut cells = study.cells(&app.config.models, &caller, &group)?;
    fit_to_models(&mut conn, &app.config.models, &mut cells).await?;
    if query.price {
        let (requests, mut texts) = (requests_by_twin(&tasks, &chosen), TextSizes::default());
        let mut runs = Vec::with_capacity(cells.len());
        for (place, mut parameters) in cells.iter().cloned().enumerate() {
            let shared = SharedTexts::of(&cells, place);
            choose_prompt_cache(&mut parameters, &requests, shared);
            let bytes = texts.average(&mut conn, of.set.id, parameters.persona_variant, &twins).await?;
            let work = Workload::new(&requests, bytes, PromptSizes::ROUGH, &parameters).shared(shared);
            runs.push((parameters, work));
        }
        return studies::price(&mut conn, &app.config.models, &group, &caller, runs, "validation").await;
    }
    if let Some(leak) = find_profile_leak(&mut conn, of.set.id, &of.questions, &variants, &twins).await? {
        return Err(ApiError::Conflict(leak.text));
    }
    let document = survey::document(&of.set.source, &tasks).map_err(ApiError::Conflict)?;
    let content = document.into();
    let demo_model = app.config.models.main().is_demo();
    key.once(&mut conn, caller.id, &asked, StatusCode::CREATED, async |conn| {
        let new = NewSurvey { user_id: caller.id, group_id: group.id, content: &content };
        let (survey, _) = new.create(conn).await?;
        let study = NewStudy {
            survey_id: survey.id,
            user_id: caller.id,
            choice: PersonaChoice::Ids(twins),
            demo_model,
            cells,
            every_arm: false,
            name: Some(format!("Validation of {}", of.headline.name())),
            note: None,
            max_cost: None,
            plan: None,
        };
        let id = study.start(conn).await?;
        validations::insert(conn, id, of.set.id, asked.items == ValidationItems::Quick, of.headline).await?;
        StudyOverview::find(conn, id).await
    })
    .await
}

impl ValidationToStart {
    fn variants(&self, of: &Validatable) -> Result<Vec<PersonaVariant>> {
        if self.variants.contains(&PersonaVariant::Full) {
            let message = "variants: full may hold the answers that are held out; wave1_3 is the text without them";
            return Err(ApiError::invalid(message));
        }
        let mut variants = self.variants.clone();
        if variants.is_empty() {
            variants = vec![of.headline, PersonaVariant::Demographics, PersonaVariant::Empty];
        }
        let known = of.variants.iter().map(|variant| variant.name()).collect::<Vec<_>>().join(", ");
        match variants.iter().find(|variant| !of.variants.contains(variant)) {
            Some(_) => Err(ApiError::Invalid(format!("variants must be of {known}"))),
            None if !variants.contains(&of.headline) => {
                let headline = of.headline.name();
                Err(ApiError::Invalid(format!("variants must have {headline}, of which the verdicts are")))
            }
            None => Ok(variants),
        }
    }
}

/// Number of questions of each twin in one run.
fn requests_by_twin(tasks: &[AskedTask<'_>], twins: &[(i32, Vec<String>)]) -> Vec<i64> {
    let questions = || tasks.iter().flat_map(|task| &task.questions);
    let of_twin = |answered: &Vec<String>| {
        questions()
            .filter(|question| answered.contains(&question.qid))
            .map(|question| requests(question) as i64)
            .sum::<i64>()
    };
    twins.iter().map(|(_, answered)| of_twin(answered)).collect()
}

/// Price of a validation of 100 twins, with all questions and quick: of the headline, demographics and empty.
pub(super) async fn usual_prices(conn: &mut AsyncPgConnection, of: &Validatable) -> Result<(i64, i64)> {
    let chosen = held_out::choose(conn, of.set.id, TWINS as usize, 1).await?;
    let taken = |quick| requests_by_twin(&survey::asked(&of.questions, quick), &chosen).iter().sum::<i64>() * 3;
    Ok((taken(false), taken(true)))
}
