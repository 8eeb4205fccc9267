//! A question as callers send it: several spellings a field, nothing believed yet.

use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

use super::Invalid;
use crate::models::json::object;

/// The longest text of an option, a label, a row, a description or a placeholder, in characters.
const ITEM_LENGTH: usize = 1_000;
/// The most options, labels or rows.
const ITEMS: usize = 200;

/// Any JSON object; [`validate`](QuestionPayload::validate) makes a question of it. Unknown fields are ignored, a
/// `null` is as good as nothing, and of several spellings of one field the first that says something counts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct QuestionPayload(#[serde(deserialize_with = "object")] pub(super) Map<String, Value>);

/// A field as it was found: its spelling, and its value unless that is missing or `null`.
struct Field<'a> {
    name: &'static str,
    value: Option<&'a Value>,
}

impl QuestionPayload {
    fn field(&self, spellings: &[&'static str]) -> Field<'_> {
        let said = spellings.iter().find_map(|name| Some((name, self.0.get(*name).filter(|value| !value.is_null())?)));
        match said {
            Some((name, value)) => Field { name, value: Some(value) },
            None => Field { name: spellings.first().copied().unwrap_or_default(), value: None },
        }
    }

    /// Trimmed; `None` where it is missing or blank.
    pub(super) fn text(&self, spellings: &[&'static str], longest: usize) -> Result<Option<String>, Invalid> {
        let field = self.field(spellings);
        let Some(value) = field.value else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| Invalid::new(field.name, "must be a text"))?;
        let text = clean(text, longest).map_err(|message| Invalid::new(field.name, message))?;
        Ok((!text.is_empty()).then_some(text))
    }

    pub(super) fn flag(&self, spellings: &[&'static str]) -> Result<Option<bool>, Invalid> {
        let field = self.field(spellings);
        let flag = |value: &Value| value.as_bool().ok_or_else(|| Invalid::new(field.name, "must be true or false"));
        field.value.map(flag).transpose()
    }

    /// Finite; forms send numbers as text, and an emptied field as an empty one.
    pub(super) fn number(&self, spellings: &[&'static str]) -> Result<Option<f64>, Invalid> {
        let field = self.field(spellings);
        let number = match field.value {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(Invalid::new(field.name, "must be a finite number")),
        }
    }

    /// Strings, or objects with a `text` or `title`. Blank items are kept, trimmed.
    pub(super) fn items(&self, spellings: &[&'static str]) -> Result<Vec<String>, Invalid> {
        let field = self.field(spellings);
        let Some(value) = field.value else { return Ok(Vec::new()) };
        let items = value.as_array().ok_or_else(|| Invalid::new(field.name, "must be a list"))?;
        if items.len() > ITEMS {
            let message = format!("has {} entries, {ITEMS} is the most", items.len());
            return Err(Invalid::new(field.name, message));
        }
        let item = |(index, item): (usize, &Value)| {
            let at = |message: &str| Invalid::new(format!("{}[{index}]", field.name), message);
            let text = item_text(item).ok_or_else(|| at("must be a text, or an object with a title or text"))?;
            clean(text, ITEM_LENGTH).map_err(|message| at(&message))
        };
        items.iter().enumerate().map(item).collect()
    }

    pub(super) fn short_text(&self, spellings: &[&'static str]) -> Result<Option<String>, Invalid> {
        self.text(spellings, ITEM_LENGTH)
    }

    pub(super) fn spelling(&self, spellings: &[&'static str]) -> &'static str {
        self.field(spellings).name
    }
}

/// What [`number`](QuestionPayload::number) reads, for the API's document.
pub(super) fn number_schema() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Number, Type::String, Type::Null]))
        .description(Some("A number, as such or as a text. Sliders and ranges need both, the one below the other."))
        .pattern(Some(r"^\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)?\s*$"))
        .build()
}

fn item_text(item: &Value) -> Option<&str> {
    match item {
        Value::String(text) => Some(text),
        Value::Object(item) => ["text", "title"].iter().find_map(|name| item.get(*name)?.as_str()),
        _ => None,
    }
}

/// Trimmed; PostgreSQL's texts cannot hold NUL.
pub(crate) fn clean(text: &str, longest: usize) -> Result<String, String> {
    if text.contains('\0') {
        return Err("contains a NUL character".into());
    }
    let text = text.trim();
    match text.chars().count() {
        length if length > longest => Err(format!("has {length} characters, {longest} is the most")),
        _ => Ok(text.to_owned()),
    }
}
