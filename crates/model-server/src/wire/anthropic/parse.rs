//! Reads Anthropic's requests as strictly as Anthropic does.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::ApiError;
use crate::request::{Format, Life, Part, Request, Role, Stream, Wire, reasoning_tokens};
use crate::wire::strict::unsupported;

const MAX_MARKS: usize = 4;
const MIN_THINKING: u32 = 1_024;

/// Parameters that are read or ignored. Any other is an error.
const KNOWN: [&str; 23] = [
    "cache_control",
    "container",
    "context_management",
    "diagnostics",
    "inference_geo",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "output_format",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];

#[derive(Deserialize)]
struct Body<'a> {
    model: Option<String>,
    max_tokens: Option<u32>,
    #[serde(borrow)]
    system: Option<&'a RawValue>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
    #[serde(default)]
    stream: Option<bool>,
    temperature: Option<f64>,
    output_config: Option<OutputConfig>,
    /// The name of `output_config.format` while it was a beta.
    output_format: Option<OutputFormat>,
    thinking: Option<Thinking>,
    tools: Option<Vec<Value>>,
    tool_choice: Option<ToolChoice>,
    cache_control: Option<CacheControl>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    cache_control: Option<CacheControl>,
}

#[derive(Deserialize)]
struct CacheControl {
    ttl: Option<String>,
}

#[derive(Deserialize)]
struct OutputConfig {
    effort: Option<String>,
    format: Option<OutputFormat>,
}

#[derive(Deserialize)]
struct OutputFormat {
    #[serde(rename = "type")]
    kind: String,
    schema: Option<Value>,
}

#[derive(Deserialize)]
struct Thinking {
    #[serde(rename = "type")]
    kind: String,
    budget_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct ToolChoice {
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::invalid(message, None)
}

pub fn parse(body: &[u8]) -> Result<Request<'_>, ApiError> {
    let unreadable = |error: serde_json::Error| invalid(format!("The request body is not valid JSON: {error}"));
    let names: BTreeMap<&str, &RawValue> = serde_json::from_slice(body).map_err(unreadable)?;
    if let Some(name) = names.keys().find(|name| !KNOWN.contains(name)) {
        return Err(invalid(format!("{name}: Extra inputs are not permitted")));
    }
    let body: Body<'_> = serde_json::from_slice(body).map_err(unreadable)?;
    let model = body.model.ok_or_else(|| invalid("model: Field required"))?;
    let max_tokens = body.max_tokens.ok_or_else(|| invalid("max_tokens: Field required"))?;
    if body.messages.is_empty() {
        return Err(invalid("messages: at least one message is required"));
    }
    if body.temperature.is_some_and(|temperature| !(0.0..=1.0).contains(&temperature)) {
        return Err(invalid("temperature: range: 0..1"));
    }
    let mut parts = Vec::new();
    if let Some(system) = body.system {
        push_parts(&mut parts, Role::System, 0, system)?;
    }
    for (number, message) in (1..).zip(&body.messages) {
        let role = match &*message.role {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            other => return Err(invalid(format!("messages: Unexpected role \"{other}\"."))),
        };
        push_parts(&mut parts, role, number, message.content)?;
    }
    if let (Some(control), Some(last)) = (body.cache_control, parts.last_mut()) {
        last.mark = Some(life(&control)?);
    }
    check_marks(&parts)?;
    let config = body.output_config.unwrap_or(OutputConfig { effort: None, format: None });
    let reasoning = reasoning(body.thinking, config.effort.as_deref(), max_tokens)?;
    let tools = body.tools.unwrap_or_default();
    let format = match config.format.or(body.output_format) {
        Some(format) => schema_format(format)?,
        None => tool_format(&tools, body.tool_choice)?,
    };
    let request = Request::new(Wire::Anthropic, Some(model), parts);
    // The usage is always there.
    let stream = (body.stream == Some(true)).then_some(Stream { usage: true });
    let temperature = body.temperature;
    let request = Request { max_tokens: Some(max_tokens), temperature, reasoning, stream, ..request }.answer_in(format);
    let tools = if tools.is_empty() { String::new() } else { Value::from(tools).to_string() };
    Ok(Request { head: tools + &request.head, ..request })
}

fn push_parts<'a>(
    parts: &mut Vec<Part<'a>>,
    role: Role,
    message: usize,
    content: &'a RawValue,
) -> Result<(), ApiError> {
    if !content.get().starts_with('[') {
        parts.push(Part { role, message, json: content.get(), mark: None });
        return Ok(());
    }
    let blocks: Vec<Block<'a>> =
        serde_json::from_str(content.get()).map_err(|error| invalid(format!("messages.{message}: {error}")))?;
    for Block { text, cache_control } in blocks {
        let mark = cache_control.as_ref().map(life).transpose()?;
        if let Some(text) = text {
            parts.push(Part { role, message, json: text.get(), mark });
        }
    }
    Ok(())
}

fn life(control: &CacheControl) -> Result<Life, ApiError> {
    match control.ttl.as_deref() {
        None | Some("5m") => Ok(Life::FiveMinutes),
        Some("1h") => Ok(Life::OneHour),
        Some(_) => Err(invalid("cache_control.ttl: Input should be '5m' or '1h'")),
    }
}

fn check_marks(parts: &[Part<'_>]) -> Result<(), ApiError> {
    let marks: Vec<Life> = parts.iter().filter_map(|part| part.mark).collect();
    if marks.len() > MAX_MARKS {
        let found = marks.len();
        return Err(invalid(format!("A maximum of 4 blocks with cache_control may be provided. Found {found}.")));
    }
    if !marks.is_sorted_by(|earlier, later| earlier >= later) {
        return Err(invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"));
    }
    Ok(())
}

/// Tokens of thinking, which an effort alone does not switch on.
fn reasoning(thinking: Option<Thinking>, effort: Option<&str>, max_tokens: u32) -> Result<u32, ApiError> {
    let wanted = match effort {
        None => None,
        Some(effort @ ("low" | "medium" | "high" | "xhigh" | "max")) => reasoning_tokens(effort),
        Some(_) => {
            return Err(invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"));
        }
    };
    let wanted = wanted.or_else(|| reasoning_tokens("high")).unwrap_or_default();
    let Some(Thinking { kind, budget_tokens }) = thinking else { return Ok(0) };
    match kind.as_str() {
        "disabled" => Ok(0),
        "adaptive" | "between_tools" => Ok(wanted),
        "enabled" => match budget_tokens {
            Some(budget) if budget < MIN_THINKING => Err(invalid(format!(
                "thinking.enabled.budget_tokens: Input should be greater than or equal to {MIN_THINKING}"
            ))),
            Some(budget) if budget >= max_tokens => {
                Err(invalid("`max_tokens` must be greater than `thinking.budget_tokens`."))
            }
            Some(budget) => Ok(wanted.min(budget)),
            None => Err(invalid("thinking.enabled.budget_tokens: Field required")),
        },
        other => Err(invalid(format!("thinking: Input tag '{other}' is unknown"))),
    }
}

fn schema_format(format: OutputFormat) -> Result<Format, ApiError> {
    if format.kind != "json_schema" {
        return Err(invalid("output_config.format.type: Input should be 'json_schema'"));
    }
    let schema = format.schema.filter(Value::is_object);
    let schema = schema.ok_or_else(|| invalid("output_config.format.schema: Field required"))?;
    match unsupported(&schema) {
        Some(reason) => Err(invalid(format!("output_config.format.schema: {reason}"))),
        None => Ok(Format::Schema(schema)),
    }
}

/// The tool that the request forces, if it does.
fn tool_format(tools: &[Value], choice: Option<ToolChoice>) -> Result<Format, ApiError> {
    let Some(ToolChoice { kind, name }) = choice else { return Ok(Format::Text) };
    let tool = match kind.as_str() {
        "tool" => tools.iter().find(|tool| tool["name"].as_str() == name.as_deref()),
        "any" => tools.first(),
        _ => return Ok(Format::Text),
    };
    let tool = tool.ok_or_else(|| invalid("tool_choice: the tool is not in tools"))?;
    Ok(Format::Tool(tool["name"].as_str().unwrap_or_default().to_owned(), tool["input_schema"].clone()))
}
