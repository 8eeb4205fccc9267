//! Answers as snapshots keep them.

use chrono::DateTime;
use serde_json::Value;
use uuid::Uuid;

/// The JSON on several lines, without what differs from one test run to the next: ids and times are replaced by words, and figures
/// have ten significant digits, since machines compute the rest differently.
pub fn stable(answer: &Value) -> String {
    serde_json::to_string_pretty(&masked(answer)).expect("it is JSON")
}

fn masked(value: &Value) -> Value {
    match value {
        Value::String(text) if Uuid::try_parse(text).is_ok() => "<id>".into(),
        Value::String(text) if DateTime::parse_from_rfc3339(text).is_ok() => "<time>".into(),
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().expect("it is a figure");
            format!("{value:.9e}").parse::<f64>().expect("it is a figure").into()
        }
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), masked(value))).collect(),
        other => other.clone(),
    }
}
