//! The content of one call, in no provider's format.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use simulation::answer_mode::AnswerMode;
use simulation::model_options::{PromptCache, ReasoningEffort, ServiceTier, Verbosity};
use simulation::parameters::Parameters;
use survey::distribution::AnswerForm;
use survey::types::tokens_of;

use super::dialect::{Dialect, Streaming};
use super::item::{PromptItem, expected_tokens, reply_schema};
use super::omitted::ModelParameter;
use super::wording;

/// Length limit of the reply to a probe, in tokens.
const MAX_PROBE_TOKENS: u32 = 16;
/// The most tokens of which servers give the probabilities at each place.
const TOP_LOGPROBS: u8 = 20;
/// Distance of the seeds of calls for further answers, so that they are not those of a run's repeats.
const SEEDS_APART: i64 = 1_000_003;

/// The content of one call after the system message: the questions, the schema of the reply and how the reply is sampled.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Text about earlier calls, and the questions in the survey's order.
    questions: String,
    /// JSON schema of the reply; `None`: a reply of no particular format.
    pub schema: Option<Box<RawValue>>,
    pub sampling: Sampling,
    /// The optional parts that the server gets.
    pub dialect: Dialect,
    /// Tokens that the answers usually take.
    pub reply_tokens: u32,
}

/// How a model draws its reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    pub model: String,
    /// `None`: the model's own.
    pub temperature: Option<f64>,
    /// `None`: as much as the model does by itself.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// `None`: the model's own.
    pub verbosity: Option<Verbosity>,
    /// `None`: the server's own.
    pub service_tier: Option<ServiceTier>,
    pub seed: i64,
    /// `None`: the server decides what its cache keeps.
    pub prompt_cache: Option<PromptCache>,
    /// Whether parameters that the model refuses are left out.
    pub lenient: bool,
    /// How many replies are wanted at once.
    pub draws: u16,
    /// Number of tokens at each place of the reply whose probabilities the server gives. `None`: it gives none.
    pub top_logprobs: Option<u8>,
    /// Length limit of the reply, in tokens.
    pub max_tokens: u32,
    /// How the reply is asked for in pieces.
    pub streaming: Streaming,
}

impl Sampling {
    /// Whether the reply is asked for in pieces.
    pub fn streams(&self) -> bool {
        self.streaming != Streaming::Omitted
    }

    /// The value of this parameter in the call. `None`: the call does not have it.
    pub fn value(&self, parameter: ModelParameter) -> Option<String> {
        match parameter {
            ModelParameter::Temperature => self.temperature.map(|temperature| temperature.to_string()),
            ModelParameter::ReasoningEffort => self.reasoning_effort.map(|effort| effort.name().to_owned()),
            ModelParameter::Verbosity => self.verbosity.map(|verbosity| verbosity.name().to_owned()),
            ModelParameter::ServiceTier => self.service_tier.map(|tier| tier.name().to_owned()),
            ModelParameter::Logprobs => self.top_logprobs.map(|_| "true".to_owned()),
            ModelParameter::Draws => (self.draws > 1).then(|| "above 1".to_owned()),
        }
    }

    /// How the calls of a run with these parameters are drawn.
    pub fn new(parameters: &Parameters, dialect: Dialect, max_tokens: u32) -> Self {
        let is_sent = |parameter| !dialect.omitted.contains(parameter);
        Self {
            model: parameters.model.clone(),
            temperature: parameters.temperature.filter(|_| is_sent(ModelParameter::Temperature)),
            reasoning_effort: parameters.reasoning_effort.filter(|_| is_sent(ModelParameter::ReasoningEffort)),
            verbosity: parameters.verbosity.filter(|_| is_sent(ModelParameter::Verbosity)),
            service_tier: parameters.service_tier.filter(|_| is_sent(ModelParameter::ServiceTier)),
            seed: parameters.model_seed(),
            prompt_cache: parameters.prompt_cache,
            lenient: parameters.lenient,
            draws: parameters.draws.filter(|_| is_sent(ModelParameter::Draws)).unwrap_or(1),
            top_logprobs: (parameters.answer_mode == AnswerMode::Tokens && is_sent(ModelParameter::Logprobs))
                .then_some(TOP_LOGPROBS),
            max_tokens,
            streaming: if parameters.stream { dialect.streaming } else { Streaming::Omitted },
        }
    }
}

impl Prompt {
    /// Asks these items after the text about `earlier` calls. `max_tokens` bounds the reply: see
    /// [`max_tokens`](super::max_tokens).
    pub fn new(
        earlier: &str,
        parameters: &Parameters,
        items: &[PromptItem<'_>],
        dialect: impl Into<Dialect>,
        max_tokens: u32,
    ) -> Self {
        let dialect = dialect.into().in_run(parameters);
        // A schema is strings, numbers and maps with string keys, which JSON can always hold.
        let schema = to_raw_value(&reply_schema(items, dialect.text_length).with(dialect.limits()))
            .unwrap_or_else(|error| unreachable!("a schema: {error}"));
        let sampling = Sampling::new(parameters, dialect, max_tokens);
        let draws = items.iter().map(|item| item.draws).max().unwrap_or(1);
        // Further calls for the same answers draw by other seeds.
        let drawn = parameters.draws.unwrap_or(1).saturating_sub(draws);
        let by_codes = items.iter().any(|item| item.form == AnswerForm::Codes);
        Self {
            questions: wording::write_questions(earlier, items),
            schema: Some(schema),
            sampling: Sampling {
                draws: sampling.draws.min(draws),
                top_logprobs: sampling.top_logprobs.filter(|_| by_codes),
                seed: sampling.seed.wrapping_add(i64::from(drawn) * SEEDS_APART),
                ..sampling
            },
            dialect,
            reply_tokens: items
                .iter()
                .map(expected_tokens)
                .sum::<u32>()
                .saturating_mul(sampling.draws.min(draws).into()),
        }
    }

    /// A tiny prompt without questions: a server that answers it is up.
    pub fn probe(parameters: &Parameters, dialect: Dialect) -> Self {
        Self {
            questions: wording::PROBE.to_owned(),
            schema: None,
            sampling: Sampling {
                prompt_cache: None,
                draws: 1,
                top_logprobs: None,
                ..Sampling::new(parameters, dialect, MAX_PROBE_TOKENS)
            },
            dialect,
            reply_tokens: MAX_PROBE_TOKENS,
        }
    }

    /// A prompt of this text, for a check of a server.
    pub fn of_text(text: &str, schema: Option<&Value>, sampling: Sampling, dialect: Dialect) -> Self {
        // Any JSON value can be written.
        let schema =
            schema.map(|schema| to_raw_value(schema).unwrap_or_else(|error| unreachable!("a schema: {error}")));
        let reply_tokens = sampling.max_tokens;
        Self { questions: format!("{text}\n\n"), schema, sampling, dialect, reply_tokens }
    }

    /// The questions, for a wire that declares the schema apart.
    pub fn questions(&self) -> &str {
        self.questions.trim_end()
    }

    /// The questions and the schema in words, for a wire or server that cannot declare it.
    pub fn questions_and_schema(&self) -> String {
        match &self.schema {
            Some(schema) => [self.questions.as_str(), wording::SCHEMA_FOLLOWS, schema.get()].concat(),
            None => self.questions().to_owned(),
        }
    }

    /// Tokens of the answers and of a request of so many bytes, for the tokens-a-minute limit.
    pub fn estimate_tokens(&self, bytes: usize) -> u32 {
        tokens_of(bytes).saturating_add(self.reply_tokens)
    }
}

/// Says to people that the run's model does not take a parameter, and what to do about it. `why`: the words of the server, or
/// that its API has no such parameter.
pub fn parameter_refusal(parameters: &Parameters, refused: ModelParameter, why: &str) -> String {
    let (model, name) = (&parameters.model, refused.name());
    let value = Sampling::new(parameters, Dialect::default(), 0).value(refused).unwrap_or_default();
    format!(
        "the model {model} does not take {name} {value}: stop this run and start one without it or with another value, or a \
         lenient one, which leaves out what the model does not take and says so. {why}"
    )
}
