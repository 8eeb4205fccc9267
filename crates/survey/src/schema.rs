//! JSON schemas of answers, by the rules of strict mode: every field is required, and no other fields are allowed.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::number;

/// The schema of an answer or of an object of answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Schema<'a> {
    /// One of these texts.
    OneOf(Vec<&'a str>),
    /// A list of these texts. Duplicates are rejected by the check of the answer, because strict schemas cannot exclude
    /// them.
    Several {
        of: Vec<&'a str>,
        min: usize,
        max: usize,
    },
    /// A number between these bounds.
    Number {
        min: Option<f64>,
        max: Option<f64>,
    },
    Boolean,
    Text {
        /// Length limit in characters.
        max: Option<u32>,
    },
    /// An object with these fields, in this order.
    Object {
        description: Option<String>,
        fields: Vec<(String, Schema<'a>)>,
    },
    /// No answer.
    Nothing,
}

/// How a schema states the limits of numbers, lists and texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// The schema has the keywords for limits.
    Keywords,
    /// Descriptions state the limits, e.g. `{minimum: 1, maximum: 10}`. Anthropic refuses the keywords, and its packages write
    /// limits so.
    Described,
}

impl Schema<'_> {
    /// The schema with its limits stated so.
    pub fn with(&self, limits: Limits) -> impl Serialize {
        Stated { schema: self, limits }
    }
}

impl Serialize for Schema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with(Limits::Keywords).serialize(serializer)
    }
}

struct Stated<'a> {
    schema: &'a Schema<'a>,
    limits: Limits,
}

impl Serialize for Stated<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { schema, limits } = *self;
        let mut map = match schema {
            Schema::Nothing => return serializer.serialize_unit(),
            _ => serializer.serialize_map(None)?,
        };
        match schema {
            Schema::Nothing => {}
            Schema::OneOf(texts) => {
                map.serialize_entry("type", "string")?;
                map.serialize_entry("enum", texts)?;
            }
            Schema::Several { of, min, max } => {
                map.serialize_entry("type", "array")?;
                map.serialize_entry("items", &Texts(of))?;
                let (least, most) = (("minItems", Value::from(*min)), ("maxItems", Value::from(*max)));
                if *min > 1 {
                    serialize_limits(&mut map, limits, &[least, most])?;
                } else {
                    // That a list has an entry is a keyword that all take.
                    serialize_limits(&mut map, Limits::Keywords, &[least])?;
                    serialize_limits(&mut map, limits, &[most])?;
                }
            }
            Schema::Number { min, max } => {
                map.serialize_entry("type", "number")?;
                let bound = |name, bound: &Option<f64>| Some((name, number::json((*bound)?)));
                let bounds: Vec<_> = [bound("minimum", min), bound("maximum", max)].into_iter().flatten().collect();
                serialize_limits(&mut map, limits, &bounds)?;
            }
            Schema::Boolean => map.serialize_entry("type", "boolean")?,
            Schema::Text { max } => {
                map.serialize_entry("type", "string")?;
                let bounds: Vec<_> = max.iter().map(|max| ("maxLength", Value::from(*max))).collect();
                serialize_limits(&mut map, limits, &bounds)?;
            }
            Schema::Object { description, fields } => {
                map.serialize_entry("type", "object")?;
                if let Some(description) = description {
                    map.serialize_entry("description", description)?;
                }
                map.serialize_entry("properties", &Properties { fields, limits })?;
                map.serialize_entry("required", &fields.iter().map(|(name, _)| name).collect::<Vec<_>>())?;
                map.serialize_entry("additionalProperties", &false)?;
            }
        }
        map.end()
    }
}

/// Writes limits, each with its keyword.
fn serialize_limits<M: SerializeMap>(map: &mut M, limits: Limits, bounds: &[(&str, Value)]) -> Result<(), M::Error> {
    match limits {
        Limits::Keywords => bounds.iter().try_for_each(|(keyword, bound)| map.serialize_entry(keyword, bound)),
        Limits::Described if bounds.is_empty() => Ok(()),
        Limits::Described => {
            let named: Vec<String> = bounds.iter().map(|(keyword, bound)| format!("{keyword}: {bound}")).collect();
            map.serialize_entry("description", &format!("{{{}}}", named.join(", ")))
        }
    }
}

/// A schema of one of these texts, which are borrowed.
struct Texts<'a>(&'a [&'a str]);

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "string")?;
        map.serialize_entry("enum", self.0)?;
        map.end()
    }
}

struct Properties<'a> {
    fields: &'a [(String, Schema<'a>)],
    limits: Limits,
}

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|(name, schema)| (name, schema.with(self.limits))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn limits_are_keywords_or_stand_in_descriptions() {
        let several = |min| Schema::Several { of: vec!["a", "b", "c"], min, max: 3 };
        let fields = vec![
            ("n".to_owned(), Schema::Number { min: Some(0.0), max: Some(2.5) }),
            ("t".to_owned(), Schema::Text { max: Some(9) }),
            ("free".to_owned(), Schema::Number { min: None, max: None }),
            ("one".to_owned(), several(1)),
            ("all".to_owned(), several(3)),
        ];
        let schema = Schema::Object { description: None, fields };
        let fields = |limits| to_value(schema.with(limits)).expect("JSON")["properties"].clone();
        let items = json!({"type": "string", "enum": ["a", "b", "c"]});
        assert_eq!(
            fields(Limits::Keywords),
            json!({
                "n": {"type": "number", "minimum": 0, "maximum": 2.5},
                "t": {"type": "string", "maxLength": 9},
                "free": {"type": "number"},
                "one": {"type": "array", "items": items, "minItems": 1, "maxItems": 3},
                "all": {"type": "array", "items": items, "minItems": 3, "maxItems": 3},
            })
        );
        assert_eq!(
            fields(Limits::Described),
            json!({
                "n": {"type": "number", "description": "{minimum: 0, maximum: 2.5}"},
                "t": {"type": "string", "description": "{maxLength: 9}"},
                "free": {"type": "number"},
                "one": {"type": "array", "items": items, "minItems": 1, "description": "{maxItems: 3}"},
                "all": {"type": "array", "items": items, "description": "{minItems: 3, maxItems: 3}"},
            })
        );
    }
}
