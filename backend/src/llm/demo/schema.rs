//! Answers that a JSON schema asks for, by walking it.

use serde_json::{Map, Value};

use super::sentences;
use super::twin::Twin;
use crate::llm::number;

/// Deeper schemas, and those that contain themselves, end in `null`.
const DEPTH: usize = 24;

/// Who answers what: the schema's root, for its references, and the words of the question, for each field's name.
pub struct Answering<'a> {
    pub twin: &'a Twin,
    pub root: &'a Value,
    pub questions: &'a str,
}

impl Answering<'_> {
    pub fn reply(&self) -> Value {
        self.value(self.root, "", DEPTH)
    }

    fn value(&self, schema: &Value, text: &str, depth: usize) -> Value {
        if depth == 0 {
            return Value::Null;
        }
        let schema = self.resolve(schema);
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            return self.choose(choices, text);
        }
        if let Some(schema) = ["anyOf", "oneOf", "allOf"].iter().find_map(|word| first_that_says(schema.get(*word)?)) {
            return self.value(schema, text, depth - 1);
        }
        match kind(schema) {
            "object" => self.object(schema, text, depth),
            "array" => self.array(schema, text, depth),
            "number" => number::json(self.number(schema, text, false)),
            "integer" => number::json(self.number(schema, text, true)),
            "boolean" => (self.twin.leaning(text) > 0.5).into(),
            "null" => Value::Null,
            _ => sentences::answer(self.twin, text).into(),
        }
    }

    /// `#/$defs/Mood`, as Pydantic writes it.
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let target = || self.root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?);
        target().unwrap_or(schema)
    }

    fn object(&self, schema: &Value, text: &str, depth: usize) -> Value {
        let no_fields = Map::new();
        let fields = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_fields);
        let answer = |(name, field): (&String, &Value)| {
            let described = field.get("description").and_then(Value::as_str);
            let words = line_of(self.questions, name).or(described).unwrap_or(name);
            (name.clone(), self.value(field, &format!("{text} {words}"), depth - 1))
        };
        Value::Object(fields.iter().map(answer).collect())
    }

    /// Of options, those that the twin leans to; of anything else, the fewest that are allowed.
    fn array(&self, schema: &Value, text: &str, depth: usize) -> Value {
        let limit = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let least = limit("minItems").unwrap_or(1).min(100);
        let most = limit("maxItems").unwrap_or(usize::MAX).max(least);
        let items = self.resolve(schema.get("items").unwrap_or(&Value::Null));
        let Some(choices) = items.get("enum").and_then(Value::as_array) else {
            return (0..least).map(|n| self.value(items, &format!("{text} {n}"), depth - 1)).collect();
        };
        let mut liked: Vec<_> = choices.iter().map(|choice| (self.liking(choice, text), choice)).collect();
        liked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let count = liked.iter().filter(|(liking, _)| *liking > 0.6).count();
        liked.iter().take(count.clamp(least, most)).map(|(_, choice)| (*choice).clone()).collect()
    }

    /// The same choice in whatever order the choices stand.
    fn choose(&self, choices: &[Value], text: &str) -> Value {
        let wanted = 2.0 * self.twin.leaning(text) - 1.0;
        let scale: Option<Vec<f64>> = sentences::scale(choices);
        let fit = |index: usize, choice: &Value| match &scale {
            Some(places) => -(places[index] - wanted).abs(),
            None => self.liking(choice, text),
        };
        let best = choices.iter().enumerate().max_by(|a, b| fit(a.0, a.1).total_cmp(&fit(b.0, b.1)));
        best.map_or(Value::Null, |(_, choice)| choice.clone())
    }

    fn liking(&self, choice: &Value, text: &str) -> f64 {
        let choice = choice.as_str().map_or_else(|| choice.to_string(), str::to_owned);
        0.6 * self.twin.leaning(&choice) + 0.4 * self.twin.luck(&format!("{text} {choice}"))
    }

    fn number(&self, schema: &Value, text: &str, whole: bool) -> f64 {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let (min, max) = match (bound("minimum"), bound("maximum")) {
            (Some(min), Some(max)) => (min, max.max(min)),
            (Some(min), None) => (min, min + 100.0),
            (None, Some(max)) => (max - 100.0, max),
            (None, None) => (0.0, 100.0),
        };
        let exact = min + self.twin.leaning(text) * (max - min);
        let rounded = if whole || max - min >= 10.0 { exact.round() } else { (exact * 10.0).round() / 10.0 };
        rounded.clamp(min, max)
    }
}

/// The type; of several, the first that is not `null`.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let kinds = || kinds.iter().filter_map(Value::as_str);
            kinds().find(|kind| *kind != "null").or_else(|| kinds().next()).unwrap_or("string")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    }
}

fn first_that_says(choices: &Value) -> Option<&Value> {
    let choices = choices.as_array()?;
    choices.iter().find(|schema| kind(schema) != "null").or(choices.first())
}

/// The words after `[q1]` or `r1:` at the beginning of a line.
fn line_of<'a>(questions: &'a str, name: &str) -> Option<&'a str> {
    questions.lines().find_map(|line| {
        let bracketed = || line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(']');
        let listed = || line.strip_prefix(name)?.strip_prefix(':');
        bracketed().or_else(listed).map(str::trim)
    })
}
