//! JSON schemas, as far as strict formats of replies use them.
//!
//! Anthropic's structured outputs take no limits of numbers and lengths. Its packages move them into the description,
//! e.g. `{minimum: 1, maximum: 10}`, and there they are found.

use serde_json::Value;

/// Maximum depth. Deeper schemas, and those that refer to themselves, end in [`Schema::Null`].
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
    /// Numbers from 0 that add up to this total.
    Sum {
        fields: Vec<String>,
        total: f64,
    },
    /// Percentages of these fields, which add up to 100.
    Percentages(Vec<String>),
    /// The quantiles of a number between these bounds, which do not decrease.
    Quantiles {
        min: Option<f64>,
        max: Option<f64>,
    },
    /// The `best` and the `worst` of these values, two different ones.
    BestAndWorst(Vec<Value>),
    Boolean,
    Text,
    Null,
}

/// Text before the total in the description of an object of numbers, because schemas have no keyword for a sum.
const ADDS_UP_TO: &str = "add up to exactly ";
/// The beginning of the description of an object of percentages.
const PERCENTAGES: &str = "Percentages ";
/// The fields of an object of quantiles.
pub const QUANTILES: [&str; 5] = ["p5", "p25", "p50", "p75", "p95"];

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
                let description = schema["description"].as_str().unwrap_or_default();
                Self::of_fields(fields.map(field).collect(), description)
            }
            "array" => {
                let limit = |key: &str| limit(schema, key).map(|limit| limit.max(0.0) as usize);
                let min = limit("minItems").unwrap_or(1).min(100);
                let max = limit("maxItems").map(|max| max.max(min));
                Self::Array { items: Box::new(nested(&schema["items"])), min, max }
            }
            kind @ ("number" | "integer") => {
                Self::Number { min: limit(schema, "minimum"), max: limit(schema, "maximum"), whole: kind == "integer" }
            }
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            _ => Self::Text,
        }
    }

    fn of_fields(fields: Vec<Field>, description: &str) -> Self {
        let names = || fields.iter().map(|field| field.name.as_str());
        if let [Field { schema: Self::Choice(best), .. }, Field { schema: Self::Choice(worst), .. }] = &fields[..]
            && names().eq(["best", "worst"])
            && best == worst
            && best.len() > 1
        {
            return Self::BestAndWorst(best.clone());
        }
        if let [Field { schema: Self::Number { min, max, .. }, .. }, ..] = &fields[..]
            && fields.len() == QUANTILES.len()
            && names().all(|name| QUANTILES.contains(&name))
        {
            return Self::Quantiles { min: *min, max: *max };
        }
        let total = description.split_once(ADDS_UP_TO).and_then(|(_, total)| total.trim_end_matches('.').parse().ok());
        let numbers = fields.iter().all(|field| matches!(field.schema, Self::Number { .. }));
        match total {
            Some(100.0) if numbers && !fields.is_empty() && description.starts_with(PERCENTAGES) => {
                Self::Percentages(names().map(str::to_owned).collect())
            }
            Some(total) if numbers && !fields.is_empty() => {
                Self::Sum { fields: names().map(str::to_owned).collect(), total }
            }
            _ => Self::Object(fields),
        }
    }

    /// Returns a copy of `valid` that violates the schema at one place, the first.
    pub fn invalidate(&self, valid: Value) -> Value {
        match (self, valid) {
            (Self::Object(fields), Value::Object(mut values)) if !fields.is_empty() => {
                let Field { name, schema, .. } = &fields[0];
                let value = values.remove(name).unwrap_or_default();
                values.insert(name.clone(), schema.invalidate(value));
                values.into()
            }
            (Self::Sum { fields, total }, Value::Object(mut values)) => {
                values.insert(fields[0].clone(), (total + 1.0).into());
                values.into()
            }
            (Self::Percentages(fields), Value::Object(mut values)) => {
                values.insert(fields[0].clone(), 250.into());
                values.into()
            }
            (Self::Quantiles { .. }, Value::Object(mut values)) => {
                let highest = values["p95"].as_f64().unwrap_or_default();
                values.insert("p5".into(), (highest + 1.0).into());
                values.into()
            }
            (Self::BestAndWorst(_), Value::Object(mut values)) => {
                let best = values["best"].clone();
                values.insert("worst".into(), best);
                values.into()
            }
            (Self::Array { items, .. }, Value::Array(mut values)) if !values.is_empty() => {
                values[0] = items.invalidate(values[0].take());
                values.into()
            }
            (Self::Number { max: Some(max), .. }, _) => (max + 1.0).into(),
            (Self::Number { min: Some(min), .. }, _) => (min - 1.0).into(),
            // A blank text answers no question.
            (Self::Text, _) => " ".into(),
            _ => "none of what was offered".into(),
        }
    }
}

/// Divides the total by these weights, into whole numbers if the total is one. The order of the weights does not
/// matter.
pub fn shares(total: f64, weights: &[f64]) -> Vec<f64> {
    let unit = if total.fract() == 0.0 { 1.0 } else { total / 100.0 };
    let steps = (total / unit).round();
    let sum: f64 = weights.iter().sum();
    let exact = |weight: &f64| if sum > 0.0 { steps * weight / sum } else { steps / weights.len() as f64 };
    let mut parts: Vec<f64> = weights.iter().map(|weight| exact(weight).floor()).collect();
    // The remainder of rounding goes to the shares that lost most by it.
    let mut losers: Vec<usize> = (0..weights.len()).collect();
    losers.sort_by(|a, b| exact(&weights[*b]).fract().total_cmp(&exact(&weights[*a]).fract()));
    let left = (steps - parts.iter().sum::<f64>()) as usize;
    losers.into_iter().take(left).for_each(|loser| parts[loser] += 1.0);
    parts.into_iter().map(|part| part * unit).collect()
}

/// Returns the bounds of a number, 100 apart if the schema leaves one open.
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

/// Returns a keyword's number, from the description if the keyword is not there.
fn limit(schema: &Value, key: &str) -> Option<f64> {
    let described = || {
        let (_, rest) = schema["description"].as_str()?.rsplit_once('{')?;
        let (_, value) = rest.split_once(&format!("{key}: "))?;
        value.split([',', '}']).next()?.trim().parse().ok()
    };
    schema[key].as_f64().or_else(described)
}

/// Returns the type; of several, the first that is not `null`.
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
    fn a_total_is_divided_exactly() {
        assert_eq!(shares(100.0, &[1.0, 1.0, 1.0]), [34.0, 33.0, 33.0]);
        assert_eq!(shares(10.0, &[0.0, 3.0, 0.0]), [0.0, 10.0, 0.0]);
        assert_eq!(shares(7.0, &[5.0, 2.0, 6.0]), [3.0, 1.0, 3.0]);
        assert_eq!(shares(5.0, &[0.0, 0.0]), [3.0, 2.0]);
        let decimal: f64 = shares(10.5, &[0.2, 0.7, 0.4]).iter().sum();
        assert!((decimal - 10.5).abs() < 1e-9, "{decimal}");
    }

    #[test]
    fn sums_and_best_and_worst_choices_are_known_by_their_form() {
        let number = json!({ "type": "number", "minimum": 0, "maximum": 10 });
        let sum = json!({ "type": "object", "description": "Numbers that add up to exactly 10.",
            "properties": { "q1_1": number, "q1_2": number } });
        assert_eq!(Schema::parse(&sum), Schema::Sum { fields: vec!["q1_1".into(), "q1_2".into()], total: 10.0 });
        let choice = json!({ "enum": ["a", "b"] });
        let ends = json!({ "properties": { "best": choice, "worst": choice } });
        assert_eq!(Schema::parse(&ends), Schema::BestAndWorst(vec!["a".into(), "b".into()]));
        let others = json!({ "properties": { "best": choice, "last": choice } });
        assert!(matches!(Schema::parse(&others), Schema::Object(_)));
    }

    #[test]
    fn percentages_and_quantiles_are_known_by_their_form() {
        let number = json!({ "type": "number", "minimum": 0, "maximum": 100 });
        let percentages = json!({ "type": "object", "description": "Percentages that add up to exactly 100.",
            "properties": { "q1_1": number, "q1_2": number } });
        assert_eq!(Schema::parse(&percentages), Schema::Percentages(vec!["q1_1".into(), "q1_2".into()]));
        let quantiles =
            json!({ "properties": { "p5": number, "p25": number, "p50": number, "p75": number, "p95": number } });
        assert_eq!(Schema::parse(&quantiles), Schema::Quantiles { min: Some(0.0), max: Some(100.0) });
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
