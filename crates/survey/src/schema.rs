//! JSON schemas of answers, by the rules of strict mode: every field is required, and no other fields are allowed.

use serde::ser::{Serialize, SerializeMap, Serializer};

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

impl Serialize for Schema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = match self {
            Self::Nothing => return serializer.serialize_unit(),
            _ => serializer.serialize_map(None)?,
        };
        match self {
            Self::Nothing => {}
            Self::OneOf(texts) => {
                map.serialize_entry("type", "string")?;
                map.serialize_entry("enum", texts)?;
            }
            Self::Several { of, min, max } => {
                map.serialize_entry("type", "array")?;
                map.serialize_entry("items", &Texts(of))?;
                map.serialize_entry("minItems", min)?;
                map.serialize_entry("maxItems", max)?;
            }
            Self::Number { min, max } => {
                map.serialize_entry("type", "number")?;
                if let Some(min) = min {
                    map.serialize_entry("minimum", &number::json(*min))?;
                }
                if let Some(max) = max {
                    map.serialize_entry("maximum", &number::json(*max))?;
                }
            }
            Self::Boolean => map.serialize_entry("type", "boolean")?,
            Self::Text { max } => {
                map.serialize_entry("type", "string")?;
                if let Some(max) = max {
                    map.serialize_entry("maxLength", max)?;
                }
            }
            Self::Object { description, fields } => {
                map.serialize_entry("type", "object")?;
                if let Some(description) = description {
                    map.serialize_entry("description", description)?;
                }
                map.serialize_entry("properties", &Properties(fields))?;
                map.serialize_entry("required", &fields.iter().map(|(name, _)| name).collect::<Vec<_>>())?;
                map.serialize_entry("additionalProperties", &false)?;
            }
        }
        map.end()
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

struct Properties<'a>(&'a [(String, Schema<'a>)]);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, schema)| (name, schema)))
    }
}
