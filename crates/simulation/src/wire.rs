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
}

impl Wire {
    /// The name in settings and in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
        }
    }

    /// The name for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI's chat completions",
        }
    }
}
