//! Asks a model the questions of a check, and notes what its replies show.

use std::time::Duration;

use serde_json::{Value, json};
use simulation::answer_mode::AnswerMode;
use simulation::known_parameters::{KnownParameter, ParameterEffect, ParameterValues};
use simulation::model_check::{CheckFinding, CheckVerdict};
use simulation::model_options::{PromptCache, ReasoningEffort, ServiceTier, Verbosity};
use simulation::money::Tokens;
use simulation::parameters::Parameters;
use simulation::prompt_cache::caches_at_marks;
use simulation::wire::Wire;
use tokio::time::sleep;

use crate::llm::client::Llm;
use crate::llm::outcome::{CallError, CallOutcome, Completion, RateLimitHeaders};
use crate::llm::prompt::{Dialect, ModelParameter, Prompt, Sampling, SystemMessage};

/// Calls that one question may take while the server refuses parts of them.
const MAX_REFUSALS: usize = 8;
/// Bounds of the wait for a rate limit.
const LEAST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Length limit of most replies, in tokens.
const REPLY_TOKENS: u32 = 64;

/// Asks a model, and adds up what its calls take.
pub struct Asker<'a> {
    pub llm: &'a Llm,
    model: &'a str,
    pub wire: Wire,
    pub calls: usize,
    pub usage: Tokens,
    pub known: Vec<KnownParameter>,
}

/// A reply, and how it was asked for in the end.
pub struct Reply {
    pub completion: Completion,
    pub dialect: Dialect,
    pub limits: RateLimitHeaders,
}

impl Reply {
    pub fn text(&self) -> &str {
        self.completion.content.as_deref().unwrap_or_default()
    }

    /// The field `answer` of the reply, or the whole of another text.
    pub fn answer(&self) -> String {
        let field = serde_json::from_str::<Value>(self.text()).ok();
        let field = field.and_then(|reply| reply["answer"].as_str().map(str::to_owned));
        field.unwrap_or_else(|| self.text().to_owned())
    }

    /// Whether the model refused the parameter, so that it was asked without it.
    pub fn is_without(&self, parameter: ModelParameter) -> bool {
        self.dialect.omitted.contains(parameter)
    }
}

/// A question of a check.
#[derive(Clone)]
pub struct Ask {
    pub system: String,
    pub question: &'static str,
    pub schema: Option<Value>,
    pub temperature: Option<f64>,
    pub seed: i64,
    pub effort: Option<ReasoningEffort>,
    pub verbosity: Option<Verbosity>,
    pub tier: Option<ServiceTier>,
    /// Whether the probabilities of tokens are wanted.
    pub has_logprobs: bool,
    /// Number of replies that are wanted.
    pub replies: u16,
    /// Whether the end of the system message is marked for the cache.
    pub mark: bool,
    pub max_tokens: u32,
}

impl Ask {
    pub fn of(question: &'static str) -> Self {
        Self {
            system: "You are a helpful assistant.".to_owned(),
            question,
            schema: None,
            temperature: None,
            seed: 1,
            effort: None,
            verbosity: None,
            tier: None,
            has_logprobs: false,
            replies: 1,
            mark: false,
            max_tokens: REPLY_TOKENS,
        }
    }
}

/// The schema of an object with the field `answer`.
pub fn one_field(schema: Value) -> Value {
    json!({"type": "object", "properties": {"answer": schema}, "required": ["answer"], "additionalProperties": false})
}

impl<'a> Asker<'a> {
    pub fn new(llm: &'a Llm, model: &'a str, wire: Wire) -> Self {
        Self { llm, model, wire, calls: 0, usage: Tokens::default(), known: Vec::new() }
    }

    /// Asks, and asks again without what the server refuses.
    pub async fn ask(&mut self, ask: &Ask) -> Result<Reply, CallError> {
        let parameters = Parameters {
            wire: self.wire,
            temperature: ask.temperature,
            reasoning_effort: ask.effort,
            verbosity: ask.verbosity,
            service_tier: ask.tier,
            prompt_cache: Some(PromptCache::Twin).filter(|_| ask.mark && caches_at_marks(self.wire, self.model)),
            answer_mode: if ask.has_logprobs { AnswerMode::Tokens } else { AnswerMode::Draw },
            draws: Some(ask.replies).filter(|replies| *replies > 1),
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
                    self.count(&completion);
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

    fn count(&mut self, completion: &Completion) {
        let usage = completion.usage;
        self.usage.prompt += i64::from(usage.prompt);
        self.usage.cached += i64::from(usage.cached);
        self.usage.cache_write += i64::from(usage.cache_write);
        self.usage.completion += i64::from(usage.completion);
        self.usage.reasoning += i64::from(usage.reasoning);
    }

    /// Notes the effect of a parameter for runs.
    pub fn note(&mut self, name: &str, values: ParameterValues, effect: ParameterEffect) {
        self.known.push(KnownParameter::new(name, values, effect));
    }
}

/// These values, as a run has them.
pub fn only(values: &[&str]) -> ParameterValues {
    ParameterValues::Only(values.iter().map(|value| (*value).to_owned()).collect())
}

pub fn finding(name: &str, verdict: CheckVerdict, detail: &str) -> CheckFinding {
    CheckFinding { name: name.to_owned(), verdict, detail: detail.to_owned() }
}

/// The finding of a question that was not answered.
pub fn unclear(name: &str, error: &CallError) -> CheckFinding {
    finding(name, CheckVerdict::Unclear, &error.to_string())
}
