//! The body of a request for a message. Its bytes are recorded.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use simulation::model_options::{PromptCache, ReasoningEffort, ServiceTier};

use crate::llm::prompt::{Dialect, ModelParameter, Prompt, ResponseFormat, Sampling, Streaming, SystemMessage};
use crate::llm::wire::text::json;

/// Comes before the system message in every body. It is a block, because a block can be marked for the cache.
const OPENING: &str = r#"{"system":[{"type":"text","text":"#;
/// Marks the end of the system message: what comes before is cached for five minutes.
const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;
/// Keywords of a schema that Anthropic refuses, or refuses with most values. Descriptions state their limits.
const DESCRIBED: [&str; 5] = ["minimum", "maximum", "minItems", "maxItems", "maxLength"];

/// The fields after the system message.
#[derive(Serialize)]
struct Settings<'a> {
    messages: [Message<'a>; 1],
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Thinking {
    Adaptive,
    Enabled { budget_tokens: u32 },
    Disabled,
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { schema: &'a RawValue },
}

/// The beginning of a body, up to the end of the system message.
pub fn open(system_message: &SystemMessage) -> String {
    [OPENING, &json(system_message.text())].concat()
}

/// The body after the system message.
pub fn encode_rest(prompt: &Prompt) -> String {
    let Prompt { schema, sampling, dialect, .. } = prompt;
    let (questions, format) = match (schema, dialect.format) {
        (Some(schema), ResponseFormat::JsonSchema) => {
            (prompt.questions().to_owned(), Some(Format::JsonSchema { schema }))
        }
        (Some(_), ResponseFormat::JsonObject | ResponseFormat::Plain) => (prompt.questions_and_schema(), None),
        (None, _) => (prompt.questions().to_owned(), None),
    };
    let (thinking, effort) = reasoning(sampling);
    let output_config = (effort.is_some() || format.is_some()).then_some(OutputConfig { effort, format });
    let settings = json(&Settings {
        messages: [Message { role: "user", content: &questions }],
        model: &sampling.model,
        max_tokens: sampling.max_tokens,
        temperature: sampling.temperature,
        thinking,
        output_config,
        service_tier: sampling.service_tier.and_then(service_tier),
        stream: sampling.streams().then_some(true),
    });
    let is_marked = sampling.prompt_cache == Some(PromptCache::Twin) && dialect.cache_marks;
    let mark = if is_marked { MARK } else { "" };
    // The settings go on in the object that the opening began.
    [mark, "}],", settings.trim_start_matches('{')].concat()
}

/// The texts of the system message and of the questions in a body.
pub fn read_messages(body: &str) -> serde_json::Result<[String; 2]> {
    #[derive(Deserialize)]
    struct Body {
        system: [Block; 1],
        messages: [Read; 1],
    }
    #[derive(Deserialize)]
    struct Block {
        text: String,
    }
    #[derive(Deserialize)]
    struct Read {
        content: String,
    }
    let Body { system: [system], messages: [message] } = serde_json::from_str(body)?;
    Ok([system.text, message.content])
}

/// The parameters that requests in this dialect do not have. Anthropic has no seeds.
pub fn omitted_params(dialect: Dialect) -> Vec<&'static str> {
    let format: &[&str] = match dialect.format {
        ResponseFormat::JsonSchema => &DESCRIBED,
        ResponseFormat::JsonObject | ResponseFormat::Plain => &["output_config.format"],
    };
    let refused = dialect.omitted.names().map(ModelParameter::name);
    let stream = (dialect.streaming == Streaming::Omitted).then_some("stream");
    ["seed"].into_iter().chain(format.iter().copied()).chain(stream).chain(refused).collect()
}

/// The parameters of this call that Anthropic does not have, each with the reason.
pub fn unsupported(sampling: &Sampling) -> Vec<(ModelParameter, String)> {
    let Sampling { temperature, reasoning_effort, verbosity, service_tier: tier, .. } = sampling;
    let thinks = reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None);
    let temperature = temperature.and_then(|temperature| {
        let why = match temperature {
            temperature if !(0.0..=1.0).contains(&temperature) => "Anthropic takes temperatures from 0 to 1",
            temperature if thinks && temperature < 1.0 => "Anthropic takes no temperature but 1 while a model thinks",
            _ => return None,
        };
        Some((ModelParameter::Temperature, why))
    });
    let effort = reasoning_effort.filter(|effort| !takes_effort(&sampling.model, *effort));
    let effort = effort.map(|_| {
        let why = match thinks_by_budget(&sampling.model) {
            true => "Claude before 4.6 takes the efforts none, low, medium and high",
            false => "Anthropic takes the efforts none, low, medium, high, xhigh and max",
        };
        (ModelParameter::ReasoningEffort, why)
    });
    let verbosity = verbosity.map(|_| (ModelParameter::Verbosity, "Anthropic has no verbosity"));
    let tier = tier.filter(|tier| service_tier(*tier).is_none());
    let tier = tier.map(|_| (ModelParameter::ServiceTier, "Anthropic takes the service tiers auto and default"));
    let logprobs =
        sampling.top_logprobs.map(|_| (ModelParameter::Logprobs, "Anthropic gives no probabilities of tokens"));
    let all = [temperature, effort, verbosity, tier, logprobs].into_iter().flatten();
    all.map(|(parameter, why)| (parameter, why.to_owned())).collect()
}

fn service_tier(tier: ServiceTier) -> Option<&'static str> {
    match tier {
        ServiceTier::Auto => Some("auto"),
        ServiceTier::Default => Some("standard_only"),
        ServiceTier::Flex | ServiceTier::Priority => None,
    }
}

fn takes_effort(model: &str, effort: ReasoningEffort) -> bool {
    match thinks_by_budget(model) {
        true => effort == ReasoningEffort::None || budget(effort).is_some(),
        false => effort == ReasoningEffort::None || level(effort).is_some(),
    }
}

/// How the call thinks, and its effort.
fn reasoning(sampling: &Sampling) -> (Option<Thinking>, Option<&'static str>) {
    match sampling.reasoning_effort {
        None => (None, None),
        Some(ReasoningEffort::None) => (Some(Thinking::Disabled), None),
        Some(effort) if thinks_by_budget(&sampling.model) => {
            (budget(effort).map(|budget_tokens| Thinking::Enabled { budget_tokens }), None)
        }
        Some(effort) => (Some(Thinking::Adaptive), level(effort)),
    }
}

fn level(effort: ReasoningEffort) -> Option<&'static str> {
    let is_level = !matches!(effort, ReasoningEffort::None | ReasoningEffort::Minimal);
    is_level.then_some(effort.name())
}

/// Tokens of thinking, at least 1,024 and fewer than are left to reasoning in a reply.
fn budget(effort: ReasoningEffort) -> Option<u32> {
    match effort {
        ReasoningEffort::Low => Some(2_048),
        ReasoningEffort::Medium => Some(8_192),
        ReasoningEffort::High => Some(16_384),
        ReasoningEffort::None | ReasoningEffort::Minimal | ReasoningEffort::Xhigh | ReasoningEffort::Max => None,
    }
}

/// Whether the model is a Claude of before 4.6, which takes a budget instead of an effort. Its name has the version before
/// or after the family: `claude-3-7-sonnet-20250219`, `claude-haiku-4-5`.
fn thinks_by_budget(model: &str) -> bool {
    let Some(name) = model.split('/').next_back().and_then(|name| name.strip_prefix("claude-")) else { return false };
    let mut numbers = name.split('-').filter_map(|part| part.parse::<u32>().ok()).filter(|number| *number < 1_000);
    numbers.next().is_some_and(|major| (major, numbers.next().unwrap_or(0)) < (4, 6))
}
