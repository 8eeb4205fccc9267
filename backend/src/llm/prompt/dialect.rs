//! The optional parts of a request. A server gets all of them until it refuses one by name. The names of the variants are
//! stored with recipes and with calls of batches.

use serde::{Deserialize, Serialize};
use simulation::json::is_default;
use simulation::model_options::PromptCache;
use simulation::parameters::Parameters;
use simulation::wire::Wire;
use survey::schema::Limits;

use super::omitted::OmittedParameters;

/// How the format of an answer is declared to a server, from the strictest to the simplest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// `response_format` json_schema, strict.
    #[default]
    JsonSchema,
    /// `response_format` json_object; the schema is part of the prompt.
    JsonObject,
    /// No `response_format`; the schema is part of the prompt.
    Plain,
}

/// The parameter that limits the length of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyLimit {
    #[default]
    MaxCompletionTokens,
    /// The older name, from before reasoning models.
    MaxTokens,
    /// None: the server's own limit holds.
    Omitted,
}

/// How a reply in pieces is asked for, in a run that streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Streaming {
    /// The last piece has the token counts.
    #[default]
    WithUsage,
    /// Token counts are not asked for: estimates take their place.
    WithoutUsage,
    /// The reply comes whole.
    Omitted,
}

/// A part of a request that a server may refuse; the next request goes without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPart {
    ResponseFormat,
    ReplyLimit,
    Seed,
    /// The length limits of texts in the schema.
    TextLength,
    /// The reply in pieces, or its token counts.
    Stream,
    /// The marks of what the server's cache keeps.
    CacheMarks,
}

/// The API of one server and the optional parts of a request to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dialect {
    #[serde(default, skip_serializing_if = "is_default")]
    pub wire: Wire,
    pub format: ResponseFormat,
    pub reply_limit: ReplyLimit,
    /// Whether the simulation's seed is sent. It fixes the order of options in either case.
    pub seed: bool,
    /// Parameters that the model refused, in a run that leaves such out.
    #[serde(default, skip_serializing_if = "OmittedParameters::is_empty")]
    pub omitted: OmittedParameters,
    /// Whether the schema has the length limits of texts. Prompts state them in either case.
    #[serde(default = "sent", skip_serializing_if = "is_sent")]
    pub text_length: bool,
    /// How a run that streams asks for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub streaming: Streaming,
    /// Whether the prompts of a run with `prompt_cache` say what the server's cache keeps.
    #[serde(default = "sent", skip_serializing_if = "is_sent")]
    pub cache_marks: bool,
}

/// The dialects that are stored without a part have it.
fn sent() -> bool {
    true
}

fn is_sent(part: &bool) -> bool {
    *part
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            wire: Wire::default(),
            format: ResponseFormat::default(),
            reply_limit: ReplyLimit::default(),
            seed: true,
            omitted: OmittedParameters::default(),
            text_length: true,
            streaming: Streaming::default(),
            cache_marks: true,
        }
    }
}

impl From<ResponseFormat> for Dialect {
    fn from(format: ResponseFormat) -> Self {
        Self { format, ..Self::default() }
    }
}

impl Dialect {
    /// All that a server with this API may accept. Google's schemas have no length limits of texts.
    pub fn of(wire: Wire) -> Self {
        Self { wire, text_length: wire != Wire::Gemini, ..Self::default() }
    }

    /// How schemas state limits of answers. Anthropic refuses the keywords.
    pub fn limits(self) -> Limits {
        match self.wire {
            Wire::OpenAi | Wire::Gemini => Limits::Keywords,
            Wire::Anthropic => Limits::Described,
        }
    }

    /// The dialect with the next simpler form of this part; `None`: nothing of it is sent.
    pub fn without(self, part: RequestPart) -> Option<Self> {
        match part {
            RequestPart::ResponseFormat => {
                let format = match self.format {
                    ResponseFormat::JsonSchema => ResponseFormat::JsonObject,
                    ResponseFormat::JsonObject => ResponseFormat::Plain,
                    ResponseFormat::Plain => return None,
                };
                Some(Self { format, ..self })
            }
            RequestPart::ReplyLimit => {
                let reply_limit = match self.reply_limit {
                    ReplyLimit::MaxCompletionTokens => ReplyLimit::MaxTokens,
                    ReplyLimit::MaxTokens => ReplyLimit::Omitted,
                    ReplyLimit::Omitted => return None,
                };
                Some(Self { reply_limit, ..self })
            }
            RequestPart::Seed => self.seed.then_some(Self { seed: false, ..self }),
            RequestPart::Stream => {
                let streaming = match self.streaming {
                    Streaming::WithUsage => Streaming::WithoutUsage,
                    Streaming::WithoutUsage => Streaming::Omitted,
                    Streaming::Omitted => return None,
                };
                Some(Self { streaming, ..self })
            }
            RequestPart::TextLength => self.text_length.then_some(Self { text_length: false, ..self }),
            RequestPart::CacheMarks => self.cache_marks.then_some(Self { cache_marks: false, ..self }),
        }
    }

    /// This dialect as prompts of a run with these parameters are sent in it: the schema that would come before a twin's text
    /// is in words if the text is to be cached.
    pub fn in_run(self, parameters: &Parameters) -> Self {
        match parameters.prompt_cache {
            Some(PromptCache::Twin) => Self { format: self.format.max(ResponseFormat::JsonObject), ..self },
            Some(PromptCache::Off) | None => self,
        }
    }

    /// This dialect with one part as in the other.
    pub fn with_part_of(self, other: Self, part: RequestPart) -> Self {
        match part {
            RequestPart::ResponseFormat => Self { format: other.format, ..self },
            RequestPart::ReplyLimit => Self { reply_limit: other.reply_limit, ..self },
            RequestPart::Seed => Self { seed: other.seed, ..self },
            RequestPart::TextLength => Self { text_length: other.text_length, ..self },
            RequestPart::Stream => Self { streaming: other.streaming, ..self },
            RequestPart::CacheMarks => Self { cache_marks: other.cache_marks, ..self },
        }
    }

    /// The parts that both include, of requests to one server.
    pub fn common(self, other: Self) -> Self {
        Self {
            wire: self.wire,
            format: self.format.max(other.format),
            reply_limit: self.reply_limit.max(other.reply_limit),
            seed: self.seed && other.seed,
            omitted: self.omitted.union(other.omitted),
            text_length: self.text_length && other.text_length,
            streaming: self.streaming.max(other.streaming),
            cache_marks: self.cache_marks && other.cache_marks,
        }
    }
}
