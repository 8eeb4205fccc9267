//! How much a Gemini thinks: by a level, or before Gemini 3 by a budget of tokens.

use serde::Serialize;
use simulation::model_options::ReasoningEffort;

use super::names::name_of;

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ThinkingConfig {
    Level { thinking_level: &'static str },
    Budget { thinking_budget: u32 },
}

impl ThinkingConfig {
    /// `None`: this model has no such effort.
    pub fn new(model: &str, effort: ReasoningEffort) -> Option<Self> {
        match takes_budget(model) {
            true => budget(effort).map(|thinking_budget| Self::Budget { thinking_budget }),
            false => level(effort).map(|thinking_level| Self::Level { thinking_level }),
        }
    }
}

/// Says which efforts the model takes.
pub fn efforts(model: &str) -> &'static str {
    match takes_budget(model) {
        true => "Gemini before 3 takes the efforts none, minimal, low, medium and high",
        false => "Gemini takes the efforts minimal, low, medium, high and xhigh",
    }
}

fn takes_budget(model: &str) -> bool {
    ["gemini-1", "gemini-2"].iter().any(|old| name_of(model).starts_with(old))
}

fn level(effort: ReasoningEffort) -> Option<&'static str> {
    (!matches!(effort, ReasoningEffort::None | ReasoningEffort::Max)).then(|| effort.name())
}

/// Tokens of thinking, no more than are left to reasoning in a reply.
fn budget(effort: ReasoningEffort) -> Option<u32> {
    match effort {
        ReasoningEffort::None => Some(0),
        ReasoningEffort::Minimal => Some(512),
        ReasoningEffort::Low => Some(1_024),
        ReasoningEffort::Medium => Some(8_192),
        ReasoningEffort::High => Some(16_384),
        ReasoningEffort::Xhigh | ReasoningEffort::Max => None,
    }
}
