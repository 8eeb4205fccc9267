//! What a server takes of a request: everything, until it refuses something by name.

/// How a server is told what an answer looks like, from the strictest to the plainest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResponseFormat {
    /// `response_format` json_schema, strict.
    #[default]
    JsonSchema,
    /// `response_format` json_object; the schema stands in the prompt.
    JsonObject,
    /// No `response_format`; the schema stands in the prompt.
    Plain,
}

/// How a server is told how long a reply may be, from today's way to none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReplyLimit {
    #[default]
    MaxCompletionTokens,
    /// As servers knew it before there were models that think first.
    MaxTokens,
    /// The server's own limit.
    Unsaid,
}

impl ReplyLimit {
    /// The name of the parameter that says it.
    pub fn parameter(self) -> Option<&'static str> {
        match self {
            Self::MaxCompletionTokens => Some("max_completion_tokens"),
            Self::MaxTokens => Some("max_tokens"),
            Self::Unsaid => None,
        }
    }
}

/// What a server may refuse of a request, and get the next one without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    ResponseFormat,
    ReplyLimit,
    Seed,
}

/// The request as one server takes it. Starts with everything and only ever loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    pub format: ResponseFormat,
    pub reply_limit: ReplyLimit,
    /// Whether the run's seed is sent along; prompts are drawn by it all the same.
    pub seed: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { format: ResponseFormat::default(), reply_limit: ReplyLimit::default(), seed: true }
    }
}

impl From<ResponseFormat> for Dialect {
    fn from(format: ResponseFormat) -> Self {
        Self { format, ..Self::default() }
    }
}

impl Dialect {
    /// The same with less of this part; `None` where nothing of it is sent.
    pub fn without(self, part: Part) -> Option<Self> {
        match part {
            Part::ResponseFormat => {
                let format = match self.format {
                    ResponseFormat::JsonSchema => ResponseFormat::JsonObject,
                    ResponseFormat::JsonObject => ResponseFormat::Plain,
                    ResponseFormat::Plain => return None,
                };
                Some(Self { format, ..self })
            }
            Part::ReplyLimit => {
                let reply_limit = match self.reply_limit {
                    ReplyLimit::MaxCompletionTokens => ReplyLimit::MaxTokens,
                    ReplyLimit::MaxTokens => ReplyLimit::Unsaid,
                    ReplyLimit::Unsaid => return None,
                };
                Some(Self { reply_limit, ..self })
            }
            Part::Seed => self.seed.then_some(Self { seed: false, ..self }),
        }
    }

    /// What both take.
    pub fn common(self, other: Self) -> Self {
        Self {
            format: self.format.max(other.format),
            reply_limit: self.reply_limit.max(other.reply_limit),
            seed: self.seed && other.seed,
        }
    }

    /// What is not sent, by the name of the parameter, for the record.
    pub fn left_out(self) -> Vec<&'static str> {
        let format = match self.format {
            ResponseFormat::JsonSchema => None,
            ResponseFormat::JsonObject => Some("json_schema"),
            ResponseFormat::Plain => Some("response_format"),
        };
        let reply_limit = match self.reply_limit {
            ReplyLimit::MaxCompletionTokens => None,
            ReplyLimit::MaxTokens => Some("max_completion_tokens"),
            ReplyLimit::Unsaid => Some("max_tokens"),
        };
        let seed = (!self.seed).then_some("seed");
        [format, reply_limit, seed].into_iter().flatten().collect()
    }
}
