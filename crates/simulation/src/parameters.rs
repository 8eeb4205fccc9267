//! Parameters of a run, frozen at its start.

use serde::{Deserialize, Serialize};
use survey::assign::GivenArms;
use survey::walk::{self, CallScope, OptionOrder};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::answer_mode::AnswerMode;
use crate::json::is_default;
use crate::key_owner::KeyOwner;
use crate::known_parameters::InactiveParameter;
use crate::model_options::{PromptCache, ReasoningEffort, ServiceTier, Verbosity};
use crate::money::Price;
use crate::wire::Wire;

/// Upper limit of runs in a study.
pub const MAX_RUNS: usize = 60;

/// Length limit of an answer in free words that new runs state to the model, in characters.
const MAX_TEXT_CHARS: u32 = 1_000;

/// The most draws of an answer.
const MAX_DRAWS: u16 = 20;

/// Name of the model server of runs that state none.
pub const DEFAULT_SERVER: &str = "default";

/// Text about the twin that the model reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum PersonaVariant {
    #[default]
    Summary,
    Full,
    /// The full text of a set whose last wave is held out.
    #[serde(rename = "wave1_3")]
    #[cfg_attr(feature = "clap", value(name = "wave1_3"))]
    Waves1To3,
    /// The demographics alone, as a baseline.
    Demographics,
    /// Nothing about the person except that it is an adult, as a baseline.
    Empty,
}

impl PersonaVariant {
    pub const ALL: [Self; 5] = [Self::Summary, Self::Full, Self::Waves1To3, Self::Demographics, Self::Empty];

    pub fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Full => "full",
            Self::Waves1To3 => "wave1_3",
            Self::Demographics => "demographics",
            Self::Empty => "empty",
        }
    }
}

/// The effective parameters of a run, frozen at its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SimulationParameters)]
pub struct Parameters {
    #[schema(example = "gpt-4.1-mini")]
    pub model: String,
    /// Name of the model server, of those in the installation's file. `None`: the one of the short form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub model_server: Option<String>,
    /// Owner of the key that the model server is asked with, as of the start.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub key_owner: KeyOwner,
    /// The API through which the model is asked.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub wire: Wire,
    /// `None`: the model server's default.
    #[schema(example = 0.7)]
    pub temperature: Option<f64>,
    /// Seed of the choice of twins and the order of options: the same seed gives the same prompts, byte for byte.
    #[schema(example = 42)]
    pub seed: i64,
    #[schema(example = 20)]
    pub questions_per_call: u16,
    pub persona_variant: PersonaVariant,
    pub shuffle_options: bool,
    /// Questions that may share a call, in a survey with a design.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub call_scope: CallScope,
    /// Part of the twin's earlier answers that prompts repeat, in a survey with a design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// Cell of a run in its study, which distinguishes it from the other runs besides model and variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<StudyCell>,
    /// The run whose twins, questions, arms and orders this one repeats, by `twinlab reproduce`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub reproduces: Option<Uuid>,
    /// Price of its tokens, if known at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Whether it asks through the model server's Batch API: at its lower price, within a day.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, example = false)]
    pub batch: bool,
    /// Whether to keep the model's reply to each call, word for word.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, example = false)]
    pub keep_replies: bool,
    /// How much the model reasons. `None`: as much as it does by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// How many words the model answers with. `None`: the model's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub verbosity: Option<Verbosity>,
    /// The model server's service tier. `None`: its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub service_tier: Option<ServiceTier>,
    /// Whether parameters that the model does not take, or that are known to have no effect, are left out and named among those
    /// not sent. Otherwise a run with one that is known does not start, and one with another pauses.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, example = false)]
    pub lenient: bool,
    /// Whether its calls stream: a call's time limit is then that between two pieces of the reply.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, example = true)]
    pub stream: bool,
    /// Kind of answer that the model is asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub answer_mode: AnswerMode,
    /// Use of the model server's cache of prompts, as it costs least. `None`: what the server does by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub prompt_cache: Option<PromptCache>,
    /// How often each question is asked, where its answers have a distribution: the shares of the answers. `None`: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub draws: Option<u16>,
    /// Length limit of an answer in free words, in characters: prompts and schemas state it, and a longer answer is
    /// asked again once. `None`: a run from before prompts stated one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1000)]
    pub max_text_length: Option<u32>,
    /// Parameters that its model's replies do not follow, as it was known at the start: those that are left out of its calls,
    /// and those that are sent without effect.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub inactive: Vec<InactiveParameter>,
}

impl Parameters {
    /// The product's settings for everything else: the summary of each persona, options in the order of the survey, the
    /// model server's temperature, a length limit for answers in free words.
    pub fn new(model: impl Into<String>, seed: i64, questions_per_call: u16) -> Self {
        Self {
            model: model.into(),
            model_server: None,
            key_owner: KeyOwner::Instance,
            wire: Wire::default(),
            temperature: None,
            seed,
            questions_per_call,
            persona_variant: PersonaVariant::Summary,
            shuffle_options: false,
            call_scope: CallScope::default(),
            memory: None,
            cell: None,
            reproduces: None,
            price: None,
            batch: false,
            keep_replies: false,
            reasoning_effort: None,
            verbosity: None,
            service_tier: None,
            lenient: false,
            stream: false,
            answer_mode: AnswerMode::Draw,
            prompt_cache: None,
            draws: None,
            max_text_length: Some(MAX_TEXT_CHARS),
            inactive: Vec::new(),
        }
    }

    /// The API through which the model is asked, for people. `None`: OpenAI's, which is the usual one.
    pub fn other_api(&self) -> Option<&'static str> {
        (self.wire != Wire::default()).then(|| self.wire.in_words())
    }

    /// Name of the model server.
    pub fn server(&self) -> &str {
        self.model_server.as_deref().unwrap_or(DEFAULT_SERVER)
    }

    /// Whether its calls leave out a parameter that the model was known at the start not to act on.
    pub fn leaves_out(&self, name: &str) -> bool {
        self.inactive.iter().any(|inactive| !inactive.sent && inactive.name == name)
    }

    /// The model with its server, for people.
    pub fn model_in_words(&self) -> String {
        match &self.model_server {
            Some(server) => format!("{} on {server}", self.model),
            None => self.model.clone(),
        }
    }

    /// The key that the model server is asked with, for people.
    pub fn key_in_words(&self) -> String {
        match &self.model_server {
            Some(server) => format!("{} for {server}", self.key_owner.in_words()),
            None => self.key_owner.in_words().to_owned(),
        }
    }

    /// Owner of the key, as documents state it. `None`: an installation with one server and no key of the group, where it is the
    /// only one.
    pub fn stated_key(&self) -> Option<KeyOwner> {
        Some(self.key_owner).filter(|owner| *owner == KeyOwner::Group || self.model_server.is_some())
    }

    /// Why the run cannot ask for distributions in this way. `None`: it can.
    pub fn distribution_refusal(&self) -> Option<String> {
        let is_tokens = self.answer_mode == AnswerMode::Tokens;
        if self.draws.is_some_and(|draws| !(2..=MAX_DRAWS).contains(&draws)) {
            return Some(format!("draws must be between 2 and {MAX_DRAWS}"));
        }
        if self.draws.is_some() && self.answer_mode != AnswerMode::Draw {
            return Some("draws: twins that give probabilities are asked once".to_owned());
        }
        // A kept reply is one text, from which a replay reads the answer again.
        (self.keep_replies && (self.draws.is_some() || is_tokens)).then(|| {
            "keepReplies: replies are not kept of several draws or with the probabilities of tokens".to_owned()
        })
    }

    /// Whether the run asks for distributions of answers.
    pub fn has_distributions(&self) -> bool {
        self.answer_mode != AnswerMode::Draw || self.draws.is_some()
    }

    /// The options of the model that the run sets, each with its name and value for people.
    pub fn model_options(&self) -> Vec<(&'static str, &'static str)> {
        let effort = self.reasoning_effort.map(|effort| ("Reasoning effort", effort.name()));
        let verbosity = self.verbosity.map(|verbosity| ("Verbosity", verbosity.name()));
        let tier = self.service_tier.map(|tier| ("Service tier", tier.name()));
        let cache = self.prompt_cache.map(|cache| ("Kept in the model server's cache", cache.in_words()));
        [effort, verbosity, tier, cache].into_iter().flatten().collect()
    }
}

/// A run's cell in its study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StudyCell {
    /// The arm of every twin, by random node; nodes without an entry assign arms.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, value_type = std::collections::BTreeMap<String, String>)]
    pub arms: GivenArms,
    /// Number of the repeat, from 0. The model server gets `seed + repeat`; the twins' assignments stay the same.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, example = 0)]
    pub repeat: u16,
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub option_order: OptionOrder,
}

impl StudyCell {
    /// Describes the cell, for example `arms fee_arm: resort; options reversed; repeat 2`.
    pub fn in_words(&self) -> String {
        let Self { arms, repeat, option_order } = self;
        let arms: Vec<String> = arms.iter().map(|(node, arm)| format!("{node}: {arm}")).collect();
        let parts = [
            (!arms.is_empty()).then(|| format!("arms {}", arms.join(", "))),
            (*option_order == OptionOrder::Reversed).then(|| "options reversed".to_owned()),
            Some(format!("repeat {}", repeat + 1)),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// Part of the twin's earlier answers that prompts repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Nothing: every call is independent.
    #[default]
    None,
    /// The questions of earlier calls with the twin's answers.
    Transcript,
}

impl Memory {
    pub fn in_words(self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Transcript => "the twin's earlier questions and answers",
        }
    }
}

impl Parameters {
    /// The arm of every twin, by random node; nodes without an entry assign arms.
    pub fn arms(&self) -> GivenArms {
        self.cell.as_ref().map(|cell| cell.arms.clone()).unwrap_or_default()
    }

    /// The seed that the model server gets.
    pub fn model_seed(&self) -> i64 {
        self.seed.wrapping_add(self.cell.as_ref().map_or(0, |cell| cell.repeat.into()))
    }

    /// The parameters that a walk through a design needs.
    pub fn of_walk(&self) -> walk::StageParameters {
        walk::StageParameters {
            seed: self.seed,
            questions_per_call: self.questions_per_call,
            call_scope: self.call_scope,
            option_order: self.cell.as_ref().map(|cell| cell.option_order).unwrap_or_default(),
        }
    }
}
