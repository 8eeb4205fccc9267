//! The API through which a run asks its model server.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The API of a model server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Wire {
    /// OpenAI's chat completions, which most other servers have too.
    #[default]
    #[cfg_attr(feature = "clap", value(name = "openai"))]
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's generateContent.
    Gemini,
}

impl Wire {
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// The name in settings and in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Whether one call can have several replies, for which the prompt is paid once.
    pub fn has_several_replies(self) -> bool {
        self == Self::OpenAi
    }

    /// The name for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI's chat completions",
            Self::Anthropic => "Anthropic's Messages",
            Self::Gemini => "Google's generateContent",
        }
    }
}
