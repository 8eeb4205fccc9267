//! Preview of one twin's interview, with invented answers.

use std::collections::{BTreeMap, HashMap, HashSet};

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use simulation::parameters::{Memory, Parameters};
use survey::assign::{Assignment, GivenArms, assign_cell};
use survey::flow::Design;
use survey::item::Item;
use survey::plan::Plan;
use survey::question::QuestionType;
use survey::rehearsal::invented;
use survey::twin::Twin;
use survey::walk::{self, InterviewState, Reason};
use utoipa::ToSchema;

use super::for_owner;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::llm::prompt::{Dialect, Prompt, Sheet, SystemMessage, max_tokens};
use crate::models::questions::of_survey;
use crate::models::simulations::SimulationRefusal;
use crate::models::surveys::design;
use crate::models::{assignments, personas};
use crate::work::Work;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct Which {
    /// A twin of the current set; the first one without it. It is dealt to as the last of those before it.
    #[param(example = 7)]
    persona_id: Option<i32>,
    #[param(example = 1)]
    seed: Option<i64>,
    #[param(example = 10, minimum = 1, maximum = 500)]
    questions_per_call: Option<u16>,
    /// Arms that the twin is put into, as a JSON object; where a node is not named, its arm is dealt.
    #[param(example = "{}")]
    arms: Option<String>,
}

impl Which {
    /// Errors: no node that deals one arm has this name, or this arm.
    fn given(&self, plan: &Plan) -> Result<GivenArms> {
        let Some(arms) = &self.arms else { return Ok(GivenArms::new()) };
        let given: GivenArms = serde_json::from_str(arms)
            .map_err(|error| ApiError::Invalid(format!("arms: is no object of texts: {error}")))?;
        let known = plan.arms();
        for (node, arm) in &given {
            let arms = known
                .get(node.as_str())
                .ok_or_else(|| ApiError::Invalid(format!("arms: there is no node {node:?} that deals one arm")))?;
            if !arms.contains(&arm.as_str()) {
                return Err(ApiError::Invalid(format!("arms: the node {node:?} has no arm {arm:?}")));
            }
        }
        Ok(given)
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SurveyPreview {
    #[schema(example = 7)]
    persona_id: i32,
    #[schema(example = 1)]
    seed: i64,
    #[schema(example = json!({"fee_arm": "resort"}))]
    arms: BTreeMap<String, String>,
    #[schema(example = json!({"fee": "a resort fee"}))]
    fields: BTreeMap<String, String>,
    asked: Vec<AskedInPreview>,
    skipped: Vec<SkippedInPreview>,
    prompts: Vec<PromptOfCall>,
}

/// A question as the twin sees it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AskedInPreview {
    /// The call that it is in, from 1.
    #[schema(example = 1)]
    call: usize,
    #[schema(example = "fair")]
    name: String,
    #[serde(rename = "type")]
    kind: QuestionType,
    text: String,
    /// Options or labels in the order shown.
    options: Vec<String>,
    rows: Vec<String>,
    min_description: Option<String>,
    max_description: Option<String>,
    /// Invented; null of a text without an answer.
    answer: Value,
}

#[derive(Debug, Serialize, ToSchema)]
struct SkippedInPreview {
    #[schema(example = "why")]
    name: String,
    /// `logic` or `screened_out`.
    #[schema(example = "logic")]
    reason: &'static str,
}

#[derive(Debug, Serialize, ToSchema)]
struct PromptOfCall {
    #[schema(example = 1)]
    call: usize,
    system: String,
    user: String,
}

/// Preview of one twin's interview, with invented answers and without a call to a model
#[utoipa::path(
    get, path = "",
    params(Which),
    responses(
        (status = 200, description = "Its way through the survey, and the prompts", body = SurveyPreview),
        (status = 409, description = "There are no twins"),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn preview_survey(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Query(which): Query<Which>,
) -> Result<HttpResponse> {
    drop(for_owner(&app, &caller, *id).await?);
    let permit = admit(&app, caller.id, Work::Design)?.start().await;
    let mut conn = db::checkout(&app.pool).await?;
    let set = personas::current_set(&mut conn).await?.ok_or(SimulationRefusal::NoPersonas)?;
    let mut twins: Vec<Twin> = assignments::twins(&mut conn, set.id, None).await?;
    let last = twins.iter().position(|twin| which.persona_id.is_none_or(|wanted| wanted == twin.id));
    twins.truncate(last.ok_or_else(|| ApiError::not_found("Persona"))? + 1);
    let items: Vec<Item> = of_survey(&mut conn, *id).await?.into_iter().map(Item::from).collect();
    let design = design::of_survey(&mut conn, *id).await?;
    let plan = permit.blocking(move || plan(&design, &items)).await??;
    let given = which.given(&plan)?;
    let model = app.config.models.main();
    let parameters = Parameters {
        wire: model.wire,
        memory: Some(if plan.reads_answers() { Memory::Transcript } else { Memory::None }),
        ..Parameters::new(
            &model.model,
            which.seed.unwrap_or(1),
            which.questions_per_call.unwrap_or(model.questions_per_call),
        )
    };
    let asked: Vec<i32> = twins.last().map(|twin| twin.id).into_iter().collect();
    let texts = personas::texts(&mut conn, set.id, parameters.persona_variant, &asked).await?;
    let text = texts.into_iter().next().map(|(_, text)| text).unwrap_or_default();
    drop(conn);
    let preview = permit.blocking(move || {
        let dealt = assign_cell(&plan, parameters.seed, &twins, &given)
            .map_err(|refusal| SimulationRefusal::Design(refusal.to_string()))?;
        let (Some(twin), Some(assignment)) = (twins.last(), dealt.last()) else {
            return Err(ApiError::not_found("Persona"));
        };
        Ok(walked(&plan, twin, assignment, &parameters, &text))
    });
    Ok(HttpResponse::Ok().json(preview.await??))
}

/// Errors: the design cannot be run.
fn plan(design: &Design, items: &[Item]) -> Result<Plan, SimulationRefusal> {
    let refused = |found: Vec<survey::finding::Finding>| {
        let first = found.into_iter().next();
        SimulationRefusal::Design(
            first.map_or_else(String::new, |found| format!("{}: {}", found.pointer, found.message)),
        )
    };
    let mut plan = Plan::new(design, items).map_err(refused)?.numbered();
    for (order, item) in (1..).zip(&mut plan.items) {
        item.question.order = order;
    }
    Ok(plan)
}

fn walked(plan: &Plan, twin: &Twin, assignment: &Assignment, parameters: &Parameters, text: &str) -> SurveyPreview {
    let (mut answers, failed) = (HashMap::new(), HashSet::new());
    let (mut asked, mut prompts) = (Vec::new(), Vec::new());
    let system = SystemMessage::new(text);
    let mut progress = walk::WalkProgress::default();
    // A stage answers one question at least.
    for call in 1..=plan.items.len() + 1 {
        let walk = parameters.of_walk();
        progress = walk::next(InterviewState {
            plan,
            twin,
            assignment,
            parameters: walk,
            walked: None,
            answers: &answers,
            failed: &failed,
        });
        let Some(stage) = &progress.stage else { break };
        let sheet = Sheet::new(plan, stage, &answers, parameters, twin.id);
        let items = sheet.items();
        let most = max_tokens(&items);
        let prompt = Prompt::new(sheet.earlier(), parameters, &items, Dialect::of(parameters.wire), most);
        let user = prompt.questions().to_owned();
        prompts.push(PromptOfCall { call, system: system.text().to_owned(), user });
        for shown in &stage.asked {
            let Some(item) = plan.items.get(shown.item) else { continue };
            let answer = invented(item, shown, twin, parameters.seed).map_or(Value::Null, |answer| answer.to_value());
            if item.is_request() {
                answers.insert(shown.question.id, answer.clone());
            }
            let question = &shown.question;
            asked.push(AskedInPreview {
                call,
                name: question.name.clone(),
                kind: item.kind(),
                text: question.text.clone(),
                options: in_order(question.choices(), shown.order.as_deref()),
                rows: in_order(&question.sub_questions, shown.rows.as_deref()),
                min_description: question.min_description.clone(),
                max_description: question.max_description.clone(),
                answer,
            });
        }
    }
    let name = |id: i64| plan.items.iter().find(|item| item.question.id == id).map_or("", Item::name).to_owned();
    let skipped = |(id, reason): &(i64, Reason)| SkippedInPreview { name: name(*id), reason: reason.name() };
    SurveyPreview {
        persona_id: twin.id,
        seed: parameters.seed,
        arms: assignment.arms.iter().map(|(node, arms)| (node.to_string(), arms.join(">"))).collect(),
        skipped: progress.skipped.iter().map(skipped).collect(),
        fields: progress.fields,
        asked,
        prompts,
    }
}

fn in_order(texts: &[String], order: Option<&[i16]>) -> Vec<String> {
    let Some(order) = order else { return texts.to_vec() };
    let at = |position: &i16| texts.get(usize::try_from(*position).ok()?.checked_sub(1)?).cloned();
    order.iter().filter_map(at).collect()
}
