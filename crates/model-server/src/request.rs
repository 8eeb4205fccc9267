//! A request for a completion in no provider's form, as far as an answer depends on it.

use serde_json::{Value, json};

use crate::Dialect;
use crate::hash::hash;
use crate::schema::Schema;

/// The form of a request and of its reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wire {
    /// Chat completions.
    #[default]
    OpenAi,
    /// Messages.
    Anthropic,
    /// `generateContent`.
    Gemini,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
}

/// Lifetime of a cached prefix after its last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Life {
    FiveMinutes,
    HalfAnHour,
    OneHour,
    TwelveHours,
    OneDay,
}

/// A text of the prompt.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    pub role: Role,
    /// Number of its message. The system prompt counts as one.
    pub message: usize,
    /// The text as sent, in JSON. A persona's text is long, and its quick answers depend on the hash alone.
    pub json: &'a str,
    /// Mark of a prefix that is cached up to here.
    pub mark: Option<Life>,
}

/// The wishes of a request for its cache, beside the marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheWish {
    /// Whether the end of the newest message counts as a mark.
    pub marks_the_end: bool,
    /// Lifetime that the request asks for, for prefixes without a mark.
    pub life: Option<Life>,
}

/// A wish for a reply in pieces, as events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Whether the last event has the tokens.
    pub usage: bool,
}

/// The format that a request wants its reply in.
pub enum Format {
    Text,
    /// JSON of any schema. The prompt may show one.
    Json,
    Schema(Value),
    /// The arguments of this tool, which must be called.
    Tool(String, Value),
}

pub struct Request<'a> {
    pub wire: Wire,
    pub model: Option<String>,
    pub dialect: Dialect,
    /// Schema of the reply. `None` if any text will do.
    pub schema: Option<Schema>,
    /// Name of the tool that the reply calls.
    pub tool: Option<String>,
    /// Hash of the first text as sent.
    pub persona: u64,
    /// Hash of the schema.
    pub questions: u64,
    /// Maximum number of tokens of each choice, with those of its reasoning.
    pub max_tokens: Option<u32>,
    /// Number of choices of the reply.
    pub choices: u64,
    /// Number of tokens whose probabilities are wanted at each place of the reply. `None` if none are.
    pub top_logprobs: Option<usize>,
    /// Seed by which the answers of calls vary. `None` if they do not.
    pub seed: Option<i64>,
    pub temperature: Option<f64>,
    /// Number of tokens that the model reasons with, for each choice.
    pub reasoning: u32,
    /// Whether a text of many words is wanted.
    pub is_wordy: bool,
    pub cache: CacheWish,
    /// `None` if the reply is sent whole.
    pub stream: Option<Stream>,
    /// The schema and tools, which providers put before the prompt.
    pub head: String,
    /// The texts in the order in which the model reads them.
    pub parts: Vec<Part<'a>>,
}

impl<'a> Request<'a> {
    /// A request for one text of any length.
    pub fn new(wire: Wire, model: Option<String>, parts: Vec<Part<'a>>) -> Self {
        let first = parts.first().map_or("", |part| unquoted(part.json));
        Self {
            wire,
            model,
            dialect: Dialect::Plain,
            schema: None,
            tool: None,
            persona: hash(first.as_bytes()),
            questions: 0,
            max_tokens: None,
            choices: 1,
            top_logprobs: None,
            seed: None,
            temperature: None,
            reasoning: 0,
            is_wordy: false,
            cache: CacheWish { marks_the_end: false, life: None },
            stream: None,
            head: String::new(),
            parts,
        }
    }

    pub fn answer_in(self, format: Format) -> Self {
        let shown = |request: &Self| schema_in(&request.questions());
        match format {
            Format::Text => {
                let schema = shown(&self);
                self.with_schema(Dialect::Plain, schema)
            }
            Format::Json => {
                let any = || json!({ "properties": { "answer": { "type": "string" } } });
                let schema = shown(&self).unwrap_or_else(any);
                self.with_schema(Dialect::JsonObject, Some(schema))
            }
            Format::Schema(schema) => {
                Self { head: schema.to_string(), ..self }.with_schema(Dialect::JsonSchema, Some(schema))
            }
            Format::Tool(name, schema) => {
                Self { tool: Some(name), ..self }.with_schema(Dialect::JsonObject, Some(schema))
            }
        }
    }

    fn with_schema(self, dialect: Dialect, schema: Option<Value>) -> Self {
        let Some(schema) = schema else { return Self { dialect, ..self } };
        let questions = hash(schema.to_string().as_bytes());
        Self { dialect, questions, schema: Some(Schema::parse(&schema)), ..self }
    }

    /// The texts of the system prompt.
    pub fn profile(&self) -> String {
        self.parts.iter().filter(|part| part.role == Role::System).map(Part::text).collect()
    }

    /// The last message of the user.
    pub fn questions(&self) -> String {
        let users = || self.parts.iter().filter(|part| part.role == Role::User);
        let last = users().next_back().map(|part| part.message);
        users().filter(|part| Some(part.message) == last).map(Part::text).collect()
    }
}

impl Part<'_> {
    fn text(&self) -> String {
        serde_json::from_str(self.json).unwrap_or_default()
    }
}

/// Number of tokens that a model reasons with at this effort. `None` if there is no such effort.
pub fn reasoning_tokens(effort: &str) -> Option<u32> {
    Some(match effort.to_ascii_lowercase().as_str() {
        "none" => 0,
        "minimal" => 32,
        "low" => 128,
        "medium" => 512,
        "high" => 2_048,
        "xhigh" => 4_096,
        "max" => 8_192,
        _ => return None,
    })
}

/// Returns the [`Request::persona`] of a first text.
pub fn persona_key(text: &str) -> u64 {
    hash(unquoted(&Value::from(text).to_string()).as_bytes())
}

/// Returns the first of these parameters that the body has.
pub fn first_present(names: &[&'static str], body: &[u8]) -> Option<&'static str> {
    if names.is_empty() {
        return None;
    }
    let body: Value = serde_json::from_slice(body).ok()?;
    let has = |name: &str| body.get(name).or_else(|| body.get("generationConfig")?.get(name)).is_some();
    names.iter().copied().find(|name| has(name))
}

/// Finds the schema in a prompt, if the format has none.
fn schema_in(text: &str) -> Option<Value> {
    text.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(|value| value["properties"].is_object())
    })
}

fn unquoted(json: &str) -> &str {
    json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or(json)
}
