//! JSON objects that are read field by field.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// For `#[serde(deserialize_with)]`: accepts objects only. serde_json would accept `null` as an empty one.
pub fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(D::Error::custom("must be an object")),
    }
}
