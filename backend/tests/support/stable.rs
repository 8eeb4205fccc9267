//! Answers in the form of snapshots.

use chrono::DateTime;
use serde_json::Value;
use uuid::Uuid;

/// The JSON on several lines, without what differs between test runs: words replace ids and times, and figures have ten
/// significant digits, because machines compute the others differently.
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
