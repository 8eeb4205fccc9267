//! Findings of a check of a model: what its server does with the parts of a request.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::money::Money;
use crate::wire::Wire;

/// Verdict on a part of a request, or on a feature of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckFinding {
    #[schema(example = "seed")]
    pub name: String,
    pub verdict: CheckVerdict,
    /// Basis of the verdict.
    #[schema(example = "the same seed drew 47, 47, 47; others drew 12, 80")]
    pub detail: String,
}

/// Findings of a check of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelCheck {
    #[schema(example = "gpt-4.1-mini")]
    pub model: String,
    pub wire: Wire,
    pub findings: Vec<CheckFinding>,
    #[schema(example = 24)]
    pub calls: usize,
    /// Tokens of prompts and replies.
    #[schema(example = 21_480)]
    pub tokens: u64,
    /// Cost of the calls by the server's bill; null: the price of the model is not known. No credits are taken.
    pub cost: Option<Money>,
}
