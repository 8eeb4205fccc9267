//! JSON schemas as strict `response_format` knows them, and valid (or purposely wrong) instances of them.

use serde_json::Value;

use super::hash::{hash, mix, unit};

/// A schema ready to be answered. Strings are kept as JSON, quotes and escapes included.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Object(Vec<(String, Shape)>),
    Array {
        item: Box<Shape>,
        least: usize,
        most: usize,
    },
    Choice(Vec<String>),
    /// Both ends included.
    Integer {
        least: i64,
        most: i64,
    },
    /// Both ends included.
    Number {
        least: f64,
        most: f64,
    },
    Boolean,
    Text,
}

/// What an instance does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    OutOfRange,
    Missing,
}

impl Shape {
    /// Reads a schema; anything that it does not know becomes text. `root` is where `$ref` points into.
    pub(super) fn read(schema: &Value, root: &Value) -> Self {
        Self::read_nested(schema, root, 0)
    }

    fn read_nested(schema: &Value, root: &Value, depth: usize) -> Self {
        // Only a schema that refers to itself gets here.
        if depth > 32 {
            return Self::Text;
        }
        let read = |schema: &Value| Self::read_nested(schema, root, depth + 1);
        if let Some(target) = schema["$ref"].as_str() {
            return root.pointer(target.trim_start_matches('#')).map_or(Self::Text, read);
        }
        if let Some(options) = schema["enum"].as_array().filter(|options| !options.is_empty()) {
            return Self::Choice(options.iter().map(Value::to_string).collect());
        }
        if let Some(only) = schema.get("const") {
            return Self::Choice(vec![only.to_string()]);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            if let Some(first) = schema[key].as_array().and_then(|branches| branches.first()) {
                return read(first);
            }
        }
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
        match kind.unwrap_or("object") {
            "object" => {
                let fields = schema["properties"].as_object().into_iter().flatten();
                Self::Object(
                    fields.map(|(name, field)| (Value::from(name.as_str()).to_string(), read(field))).collect(),
                )
            }
            "array" => {
                let item = read(&schema["items"]);
                let fits = if let Self::Choice(options) = &item { options.len() } else { 3 };
                let least = schema["minItems"].as_u64().unwrap_or(1) as usize;
                let most = schema["maxItems"].as_u64().map_or(fits.max(least), |most| most as usize);
                Self::Array { item: Box::new(item), least, most }
            }
            "integer" => {
                let least = schema["minimum"].as_f64().map_or(0, |least| least.ceil() as i64);
                let most = schema["maximum"].as_f64().map_or(least.saturating_add(100), |most| most.floor() as i64);
                Self::Integer { least, most }
            }
            "number" => {
                let least = schema["minimum"].as_f64().unwrap_or(0.0);
                let most = schema["maximum"].as_f64().unwrap_or(least + 100.0);
                Self::Number { least, most }
            }
            "boolean" => Self::Boolean,
            _ => Self::Text,
        }
    }

    /// Writes the instance that follows from `seed`, with one flaw at a place that follows from it too.
    pub(super) fn write(&self, out: &mut String, seed: u64, flaw: Option<Flaw>) {
        let seed = mix(&[seed]);
        match self {
            Self::Object(fields) => write_object(fields, out, seed, flaw),
            Self::Array { item, least, most } => {
                // Neighbours in the list of options, so that none comes twice.
                let length = if flaw.is_some() { *least.max(&1) } else { pick(seed, *least, *most) };
                let start = mix(&[seed, 1]);
                let place = |n: usize| start.wrapping_add(n as u64);
                write_list(out, ['[', ']'], 0..length, |out, n| {
                    let flaw = flaw.filter(|_| n == 0);
                    match (item.as_ref(), flaw) {
                        (Self::Choice(options), None) => {
                            out.push_str(&options[(place(n) % options.len() as u64) as usize]);
                        }
                        (item, flaw) => item.write(out, place(n), flaw),
                    }
                });
            }
            Self::Choice(_) if flaw.is_some() => out.push_str("\"none of what was offered\""),
            Self::Choice(options) => out.push_str(&options[pick(seed, 0, options.len() - 1)]),
            Self::Integer { most, .. } if flaw.is_some() => out.push_str(&most.saturating_add(1).to_string()),
            Self::Integer { least, most } => {
                let value = *least as f64 + unit(seed) * (*most as f64 - *least as f64 + 1.0);
                out.push_str(&(value.floor() as i64).clamp(*least, (*most).max(*least)).to_string());
            }
            Self::Number { most, .. } if flaw.is_some() => out.push_str(&Value::from(most + 1.0).to_string()),
            Self::Number { least, most } => {
                let value = least + unit(seed) * (most - least);
                let short = (value * 10.0).round() / 10.0;
                let value = if (*least..=*most).contains(&short) { short } else { value };
                out.push_str(&Value::from(value).to_string());
            }
            Self::Boolean if flaw.is_some() => out.push_str("\"maybe\""),
            Self::Boolean => out.push_str(if seed & 1 == 0 { "true" } else { "false" }),
            // Blank: the only text that is out of range everywhere.
            Self::Text if flaw.is_some() => out.push_str("\" \""),
            Self::Text => out.push_str("\"The stub has no opinion of its own.\""),
        }
    }
}

fn write_object(fields: &[(String, Shape)], out: &mut String, seed: u64, flaw: Option<Flaw>) {
    let flawed = flaw.filter(|_| !fields.is_empty()).map(|flaw| (flaw, pick(seed, 0, fields.len() - 1)));
    // A wrapper around the answers is kept; one of the answers within it goes missing.
    let wrapper = matches!(fields, [(_, Shape::Object(_))]);
    let missing = flawed.filter(|&(flaw, _)| flaw == Flaw::Missing && !wrapper).map(|(_, field)| field);
    let kept = fields.iter().enumerate().filter(|&(n, _)| Some(n) != missing);
    write_list(out, ['{', '}'], kept, |out, (n, (name, shape))| {
        out.push_str(name);
        out.push(':');
        let flaw = flawed.filter(|&(_, field)| field == n).map(|(flaw, _)| flaw);
        shape.write(out, mix(&[seed, hash(name.as_bytes())]), flaw);
    });
}

fn write_list<T>(out: &mut String, ends: [char; 2], items: impl Iterator<Item = T>, write: impl Fn(&mut String, T)) {
    out.push(ends[0]);
    for (n, item) in items.enumerate() {
        if n > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(ends[1]);
}

/// One of `least..=most`.
fn pick(seed: u64, least: usize, most: usize) -> usize {
    least + (mix(&[seed, 2]) % (most.saturating_sub(least) as u64 + 1)) as usize
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn survey() -> Value {
        json!({"type": "object", "additionalProperties": false, "required": ["q1", "q2", "q3", "q4", "q5", "q6"],
            "properties": {
                "q1": {"type": "string", "enum": ["Yes", "No \"never\""]},
                "q2": {"type": "array", "items": {"enum": ["a", "b", "c", "d"]}, "minItems": 1, "maxItems": 3},
                "q3": {"type": "object", "properties": {"1": {"$ref": "#/$defs/scale"}, "2": {"$ref": "#/$defs/scale"}}},
                "q4": {"type": "integer", "minimum": -3, "maximum": 4},
                "q5": {"type": ["number", "null"], "minimum": 0.05, "maximum": 0.07},
                "q6": {"type": "string"}},
            "$defs": {"scale": {"enum": ["Agree", "Disagree"]}}})
    }

    fn instance(seed: u64, flaw: Option<Flaw>) -> Value {
        let schema = survey();
        let mut out = String::new();
        Shape::read(&schema, &schema).write(&mut out, seed, flaw);
        serde_json::from_str(&out).expect("the stub writes JSON")
    }

    fn breaches(answer: &Value) -> usize {
        let list = answer["q2"].as_array().cloned().unwrap_or_default();
        let distinct = list.iter().enumerate().all(|(n, option)| !list[..n].contains(option));
        let scale = |row: &str| ["Agree", "Disagree"].contains(&answer["q3"][row].as_str().unwrap_or(""));
        [
            ["Yes", "No \"never\""].contains(&answer["q1"].as_str().unwrap_or("")),
            (1..=3).contains(&list.len())
                && distinct
                && list.iter().all(|option| ["a", "b", "c", "d"].contains(&option.as_str().unwrap_or(""))),
            scale("1") && scale("2"),
            answer["q4"].as_i64().is_some_and(|value| (-3..=4).contains(&value)),
            answer["q5"].as_f64().is_some_and(|value| (0.05..=0.07).contains(&value)),
            answer["q6"].as_str().is_some_and(|text| !text.trim().is_empty()),
        ]
        .iter()
        .filter(|holds| !**holds)
        .count()
    }

    #[test]
    fn instances_are_valid_whatever_the_seed_and_the_same_for_the_same_seed() {
        let answers: Vec<_> = (0..500).map(|seed| instance(seed, None)).collect();
        assert!(answers.iter().all(|answer| breaches(answer) == 0));
        assert_eq!(answers[7], instance(7, None));
        for value in -3..=4 {
            assert!(answers.iter().any(|answer| answer["q4"] == value), "{value} is never answered");
        }
        for length in 1..=3 {
            assert!(answers.iter().any(|answer| answer["q2"].as_array().map(Vec::len) == Some(length)));
        }
    }

    #[test]
    fn a_flawed_instance_breaks_exactly_one_question() {
        for flaw in [Flaw::OutOfRange, Flaw::Missing] {
            assert!((0..500).all(|seed| breaches(&instance(seed, Some(flaw))) == 1), "{flaw:?}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"properties": {"q": {"$ref": "#"}}});
        let mut out = String::new();
        Shape::read(&schema, &schema).write(&mut out, 1, None);
        assert!(serde_json::from_str::<Value>(&out).is_ok());
    }
}
