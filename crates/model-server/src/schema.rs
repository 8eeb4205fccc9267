//! JSON schemas, as far as strict `response_format`s use them.

use serde_json::Value;

/// Deeper schemas, and those that refer to themselves, end in [`Schema::Null`].
const MAX_DEPTH: usize = 24;

#[derive(Clone, Debug, PartialEq)]
pub enum Schema {
    Object(Vec<Field>),
    Array {
        items: Box<Schema>,
        min: usize,
        max: Option<usize>,
    },
    /// One of these values: `enum` and `const`.
    Choice(Vec<Value>),
    Number {
        min: Option<f64>,
        max: Option<f64>,
        whole: bool,
    },
    Boolean,
    Text,
    Null,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub description: Option<String>,
    pub schema: Schema,
}

impl Schema {
    pub fn parse(schema: &Value) -> Self {
        Self::parse_nested(schema, schema, MAX_DEPTH)
    }

    fn parse_nested(schema: &Value, root: &Value, depth: usize) -> Self {
        if depth == 0 {
            return Self::Null;
        }
        let nested = |schema: &Value| Self::parse_nested(schema, root, depth - 1);
        let schema = resolve(schema, root);
        if let Some(constant) = schema.get("const") {
            return Self::Choice(vec![constant.clone()]);
        }
        if let Some(choices) = schema["enum"].as_array() {
            return Self::Choice(choices.clone());
        }
        if let Some(variant) = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| first_not_null(&schema[key])) {
            return nested(variant);
        }
        match kind(schema) {
            "object" => {
                let fields = schema["properties"].as_object().into_iter().flatten();
                let field = |(name, schema): (&String, &Value)| Field {
                    name: name.clone(),
                    description: schema["description"].as_str().map(str::to_owned),
                    schema: nested(schema),
                };
                Self::Object(fields.map(field).collect())
            }
            "array" => {
                let limit = |key: &str| schema[key].as_u64().and_then(|limit| usize::try_from(limit).ok());
                let min = limit("minItems").unwrap_or(1).min(100);
                let max = limit("maxItems").map(|max| max.max(min));
                Self::Array { items: Box::new(nested(&schema["items"])), min, max }
            }
            kind @ ("number" | "integer") => Self::Number {
                min: schema["minimum"].as_f64(),
                max: schema["maximum"].as_f64(),
                whole: kind == "integer",
            },
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            _ => Self::Text,
        }
    }

    /// A copy of `valid` that the schema excludes at one place, the first.
    pub fn invalidate(&self, valid: Value) -> Value {
        match (self, valid) {
            (Self::Object(fields), Value::Object(mut values)) if !fields.is_empty() => {
                let Field { name, schema, .. } = &fields[0];
                let value = values.remove(name).unwrap_or_default();
                values.insert(name.clone(), schema.invalidate(value));
                values.into()
            }
            (Self::Array { items, .. }, Value::Array(mut values)) if !values.is_empty() => {
                values[0] = items.invalidate(values[0].take());
                values.into()
            }
            (Self::Number { max: Some(max), .. }, _) => (max + 1.0).into(),
            (Self::Number { min: Some(min), .. }, _) => (min - 1.0).into(),
            // A blank text is an answer to no question.
            (Self::Text, _) => " ".into(),
            _ => "none of what was offered".into(),
        }
    }
}

/// The bounds of a number, 100 apart where the schema leaves one open.
pub fn bounds(min: Option<f64>, max: Option<f64>) -> (f64, f64) {
    match (min, max) {
        (Some(min), Some(max)) => (min, max.max(min)),
        (Some(min), None) => (min, min + 100.0),
        (None, Some(max)) => (max - 100.0, max),
        (None, None) => (0.0, 100.0),
    }
}

/// Follows a `$ref` such as `#/$defs/Mood`, as Pydantic writes it.
fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let target = || root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?);
    target().unwrap_or(schema)
}

/// The type; of several, the first that is not `null`.
fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            let kinds = || kinds.iter().filter_map(Value::as_str);
            kinds().find(|kind| *kind != "null").or_else(|| kinds().next()).unwrap_or("string")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    }
}

fn first_not_null(variants: &Value) -> Option<&Value> {
    let variants = variants.as_array()?;
    variants.iter().find(|schema| kind(schema) != "null").or(variants.first())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let mut schema = &Schema::parse(&json!({ "properties": { "q": { "$ref": "#" } } }));
        let mut depth = 1;
        while let Schema::Object(fields) = schema {
            (schema, depth) = (&fields[0].schema, depth + 1);
        }
        assert_eq!((schema, depth), (&Schema::Null, MAX_DEPTH + 1));
    }

    #[test]
    fn references_and_nullable_types_are_resolved() {
        let schema = json!({
            "$defs": { "Mood": { "enum": ["good", "bad"] } },
            "properties": {
                "a": { "$ref": "#/$defs/Mood" },
                "b": { "anyOf": [{ "type": "null" }, { "type": "boolean" }] },
                "c": { "type": ["null", "integer"], "minimum": 3 },
                "d": { "const": 7 },
            },
        });
        let Schema::Object(fields) = Schema::parse(&schema) else { panic!("no object") };
        let schemas: Vec<_> = fields.into_iter().map(|field| field.schema).collect();
        let expected = [
            Schema::Choice(vec!["good".into(), "bad".into()]),
            Schema::Boolean,
            Schema::Number { min: Some(3.0), max: None, whole: true },
            Schema::Choice(vec![7.into()]),
        ];
        assert_eq!(schemas, expected);
    }
}
