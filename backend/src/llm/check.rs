//! Finds out by some tiny calls what a model server really does: what it takes without a word may be without effect.

use std::time::Duration;

use rand::RngExt;
use serde::Serialize;
use serde_json::{Value, json};
use simulation::model_options::{PromptCache, ReasoningEffort};
use simulation::parameters::Parameters;
use simulation::prompt_cache::caches_at_marks;
use simulation::wire::Wire;
use tokio::time::sleep;
use uuid::Uuid;

use super::client::Llm;
use super::outcome::{CallError, CallOutcome, Completion, RateLimitHeaders, StopReason};
use super::prompt::{Dialect, ModelParameter, Prompt, ResponseFormat, Sampling, Streaming, SystemMessage};
use super::wire::BatchError;

/// Calls that one check may take while the server refuses parts of them.
const MAX_REFUSALS: usize = 8;
/// Bounds of the wait for a rate limit.
const LEAST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Length of the text that the cache is to keep, in words: longer than any provider's shortest prefix.
const CACHED_WORDS: usize = 4_500;
/// Length limit of most replies, in tokens.
const REPLY_TOKENS: u32 = 64;

/// Verdict on a part of a request, or on a feature of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    Works,
    /// Sent, and the server does not act on it.
    NoEffect,
    /// The API or the server does not take it, so it is not sent.
    NotSent,
    /// The server does not have it.
    NotThere,
    /// The replies do not show it.
    Unclear,
}

impl CheckVerdict {
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::NoEffect => "sent, without effect",
            Self::NotSent => "not sent",
            Self::NotThere => "not there",
            Self::Unclear => "unclear",
        }
    }
}

/// The outcome of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckFinding {
    pub name: &'static str,
    pub verdict: CheckVerdict,
    /// Basis of the verdict.
    pub detail: String,
}

/// Findings of a check of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelCheck {
    pub model: String,
    pub wire: Wire,
    pub findings: Vec<CheckFinding>,
    pub calls: usize,
    pub tokens: u64,
}

/// Checks a model of the server. Fails if the server does not answer at all.
pub async fn check(llm: &Llm, model: &str, wire: Wire) -> Result<ModelCheck, CallError> {
    let mut checker = Checker { llm, model, wire, calls: 0, tokens: 0 };
    let findings = checker.run().await?;
    let Checker { calls, tokens, .. } = checker;
    Ok(ModelCheck { model: model.to_owned(), wire, findings, calls, tokens })
}

struct Checker<'a> {
    llm: &'a Llm,
    model: &'a str,
    wire: Wire,
    calls: usize,
    tokens: u64,
}

/// A reply, and how it was asked for in the end.
struct Reply {
    completion: Completion,
    dialect: Dialect,
    limits: RateLimitHeaders,
}

impl Reply {
    fn text(&self) -> &str {
        self.completion.content.as_deref().unwrap_or_default()
    }
}

/// A question of a check.
struct Ask {
    system: String,
    question: &'static str,
    schema: Option<Value>,
    temperature: Option<f64>,
    seed: i64,
    effort: Option<ReasoningEffort>,
    /// Whether the end of the system message is marked for the cache.
    mark: bool,
    max_tokens: u32,
}

impl Ask {
    fn of(question: &'static str) -> Self {
        Self {
            system: "You are a helpful assistant.".to_owned(),
            question,
            schema: None,
            temperature: None,
            seed: 1,
            effort: None,
            mark: false,
            max_tokens: REPLY_TOKENS,
        }
    }

    /// Asks for a number that no model prefers.
    fn draw(temperature: f64, seed: i64) -> Self {
        let numbers: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
        let schema = one_field(json!({"type": "string", "enum": numbers}));
        let ask = Self::of("Draw a random whole number from 1 to 100, and reply with it in the JSON field \"answer\".");
        Self { schema: Some(schema), temperature: Some(temperature), seed, ..ask }
    }
}

fn one_field(schema: Value) -> Value {
    json!({"type": "object", "properties": {"answer": schema}, "required": ["answer"], "additionalProperties": false})
}

impl Checker<'_> {
    async fn run(&mut self) -> Result<Vec<CheckFinding>, CallError> {
        let hello = self.ask(&Ask::of("Are you there? Answer with yes.")).await?;
        let mut findings = vec![stream(&hello), limits(&hello)];
        findings.push(self.schema().await);
        findings.extend(self.draws().await);
        findings.push(self.cache().await);
        findings.push(self.reasoning().await);
        findings.push(self.stop_reason().await);
        findings.push(self.batches().await);
        Ok(findings)
    }

    /// Asks, and asks again without what the server refuses.
    async fn ask(&mut self, ask: &Ask) -> Result<Reply, CallError> {
        let parameters = Parameters {
            wire: self.wire,
            temperature: ask.temperature,
            reasoning_effort: ask.effort,
            prompt_cache: Some(PromptCache::Twin).filter(|_| ask.mark && caches_at_marks(self.wire, self.model)),
            lenient: true,
            stream: true,
            ..Parameters::new(self.model, ask.seed, 1)
        };
        let mut last = CallError::NotUnderstood;
        for _ in 0..MAX_REFUSALS {
            let dialect = self.llm.dialect_of(&parameters);
            // A reply that is to be cut off needs no room.
            let reasoning = if ask.max_tokens < REPLY_TOKENS { 0 } else { self.llm.reasoning_room(&parameters) };
            let room = ask.max_tokens.saturating_add(reasoning);
            let sampling = Sampling::new(&parameters, dialect, room);
            let prompt = Prompt::of_text(ask.question, ask.schema.as_ref(), sampling, dialect);
            let opening = self.llm.open(&SystemMessage::plain(ask.system.clone(), &parameters));
            let CallOutcome { result, rate_limits } = self.llm.ask(self.llm.encode(&opening, &prompt)).await;
            self.calls += 1;
            match result {
                Ok(completion) => {
                    self.tokens += u64::from(completion.usage.prompt) + u64::from(completion.usage.completion);
                    return Ok(Reply { completion, dialect, limits: rate_limits });
                }
                Err(CallError::NotUnderstood) => last = CallError::NotUnderstood,
                Err(CallError::RateLimited { message, retry_after }) => {
                    sleep(retry_after.unwrap_or(LEAST_WAIT).clamp(LEAST_WAIT, LONGEST_WAIT)).await;
                    last = CallError::RateLimited { message, retry_after };
                }
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    async fn schema(&mut self) -> CheckFinding {
        const NAME: &str = "schema";
        let colour = one_field(json!({"type": "string", "enum": ["amber", "teal"]}));
        let ask = Ask { schema: Some(colour), ..Ask::of("Describe the sea in two sentences of prose.") };
        match self.ask(&ask).await {
            Err(error) => unclear(NAME, &error),
            Ok(reply) if reply.dialect.format != ResponseFormat::JsonSchema => {
                finding(NAME, CheckVerdict::NotSent, "the server refused it; the prompt states it instead")
            }
            Ok(reply) => {
                let answer = serde_json::from_str::<Value>(reply.text()).ok();
                let is_kept = answer.is_some_and(|answer| matches!(answer["answer"].as_str(), Some("amber" | "teal")));
                match is_kept {
                    true => finding(NAME, CheckVerdict::Works, "asked for prose, the model kept to the schema"),
                    false => finding(NAME, CheckVerdict::NoEffect, "asked for prose, the model left the schema"),
                }
            }
        }
    }

    /// Seed and temperature: three draws at temperature 1, two of them of one seed, and two at temperature 0.
    async fn draws(&mut self) -> [CheckFinding; 2] {
        let (seed, temperature) = ("seed", "temperature");
        let mut replies = Vec::new();
        for ask in [Ask::draw(1.0, 1), Ask::draw(1.0, 1), Ask::draw(1.0, 2), Ask::draw(0.0, 3), Ask::draw(0.0, 4)] {
            match self.ask(&ask).await {
                Ok(reply) => replies.push(reply),
                Err(error) => return [unclear(seed, &error), unclear(temperature, &error)],
            }
        }
        let [first, same, other, cold, cold_again] = &replies[..] else {
            return [unclear(seed, &CallError::NotUnderstood), unclear(temperature, &CallError::NotUnderstood)];
        };
        let drawn = format!("drew {}", replies.iter().map(Reply::text).collect::<Vec<_>>().join(", "));
        let varies = first.text() != other.text() || first.text() != same.text();
        let without_seed = self.llm.omitted_params(other.dialect).contains(&"seed");
        let by_seed = match (without_seed, first.text() == same.text()) {
            (true, _) => finding(seed, CheckVerdict::NotSent, "the API or the server does not take it"),
            (false, false) => finding(seed, CheckVerdict::NoEffect, &format!("the same seed {drawn}")),
            (false, true) if varies => finding(seed, CheckVerdict::Works, &drawn),
            (false, true) => finding(seed, CheckVerdict::Unclear, &format!("every seed {drawn}")),
        };
        let is_left_out = cold.dialect.omitted.contains(ModelParameter::Temperature);
        let by_temperature = match (is_left_out, cold.text() == cold_again.text()) {
            (true, _) => finding(temperature, CheckVerdict::NotSent, "the model does not take it"),
            (false, false) => finding(temperature, CheckVerdict::NoEffect, &format!("0 {drawn}")),
            (false, true) if varies => finding(temperature, CheckVerdict::Works, &drawn),
            (false, true) => finding(temperature, CheckVerdict::Unclear, &format!("0 and 1 {drawn}")),
        };
        [by_seed, by_temperature]
    }

    async fn cache(&mut self) -> CheckFinding {
        const NAME: &str = "cache";
        // New at every check, or an earlier one would have filled the cache.
        let mark: u64 = rand::rng().random();
        let words: Vec<String> = (0..CACHED_WORDS).map(|word| format!("word{}", word % 97)).collect();
        let system = format!("Check {mark}. {}", words.join(" "));
        let mut cached = Vec::new();
        for question in ["Answer with yes.", "Answer with no."] {
            match self.ask(&Ask { system: system.clone(), mark: true, ..Ask::of(question) }).await {
                Ok(reply) => cached.push((reply.completion.usage.cached, reply.completion.usage.prompt)),
                Err(error) => return unclear(NAME, &error),
            }
        }
        match cached.last() {
            Some((tokens @ 1.., prompt)) => finding(
                NAME,
                CheckVerdict::Works,
                &format!("{tokens} of {prompt} prompt tokens of a second call were cached"),
            ),
            _ => finding(
                NAME,
                CheckVerdict::NotThere,
                "no token of a second call with the same beginning was cached, or none was reported",
            ),
        }
    }

    async fn reasoning(&mut self) -> CheckFinding {
        const NAME: &str = "reasoning_effort";
        let ask = Ask { effort: Some(ReasoningEffort::Low), ..Ask::of("Which is larger, 9.9 or 9.11?") };
        match self.ask(&ask).await {
            Err(error) => unclear(NAME, &error),
            Ok(reply) if reply.dialect.omitted.contains(ModelParameter::ReasoningEffort) => {
                finding(NAME, CheckVerdict::NotSent, "the model does not take low")
            }
            Ok(reply) => match reply.completion.usage.reasoning {
                0 => finding(NAME, CheckVerdict::NoEffect, "low, and no token of reasoning was reported"),
                tokens => finding(NAME, CheckVerdict::Works, &format!("low took {tokens} tokens of reasoning")),
            },
        }
    }

    async fn stop_reason(&mut self) -> CheckFinding {
        const NAME: &str = "stop_reason";
        let ask = Ask { max_tokens: 4, ..Ask::of("Count from 1 to 500 in words.") };
        match self.ask(&ask).await {
            Err(error) => unclear(NAME, &error),
            Ok(reply) if reply.completion.stop_reason == StopReason::TokenLimit => {
                finding(NAME, CheckVerdict::Works, "a reply that was cut off says so")
            }
            Ok(reply) => finding(
                NAME,
                CheckVerdict::NoEffect,
                &format!(
                    "a limit of 4 tokens: {} tokens, {:?}",
                    reply.completion.usage.completion, reply.completion.finish_reason
                ),
            ),
        }
    }

    async fn batches(&self) -> CheckFinding {
        const NAME: &str = "batches";
        match self.llm.find_batch("", Uuid::nil()).await {
            Ok(_) => finding(NAME, CheckVerdict::Works, "the list of batches is there"),
            Err(BatchError::NotThere(_)) => finding(NAME, CheckVerdict::NotThere, "there is no list of batches"),
            Err(error) => finding(NAME, CheckVerdict::Unclear, &error.to_string()),
        }
    }
}

fn stream(hello: &Reply) -> CheckFinding {
    match hello.dialect.streaming {
        Streaming::WithUsage => finding("stream", CheckVerdict::Works, "taken, with token counts"),
        Streaming::WithoutUsage => finding("stream", CheckVerdict::Works, "taken, without token counts"),
        Streaming::Omitted => finding("stream", CheckVerdict::NotSent, "the server refused it"),
    }
}

fn limits(hello: &Reply) -> CheckFinding {
    let RateLimitHeaders { limit_requests, limit_tokens, .. } = hello.limits;
    match (limit_requests, limit_tokens) {
        (None, None) => finding("limits", CheckVerdict::NotThere, "no header tells a rate limit"),
        (requests, tokens) => {
            let shown = |limit: Option<u32>| limit.map_or_else(|| "?".to_owned(), |limit| limit.to_string());
            finding(
                "limits",
                CheckVerdict::Works,
                &format!("{} requests and {} tokens", shown(requests), shown(tokens)),
            )
        }
    }
}

fn finding(name: &'static str, verdict: CheckVerdict, detail: &str) -> CheckFinding {
    CheckFinding { name, verdict, detail: detail.to_owned() }
}

fn unclear(name: &'static str, error: &CallError) -> CheckFinding {
    finding(name, CheckVerdict::Unclear, &error.to_string())
}
