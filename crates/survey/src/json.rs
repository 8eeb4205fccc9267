//! Reads JSON objects field by field.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Deserializes objects only, for `#[serde(deserialize_with)]`. Without it serde_json accepts `null` as an empty
/// object.
pub fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(D::Error::custom("must be an object")),
    }
}
