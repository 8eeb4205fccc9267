//! JSON that is passed on as it is stored, and JSON whose fields are looked into one by one.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Jsonb;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A `jsonb` as PostgreSQL spells it. Lists hold thousands of them, which nobody here looks into: taking each apart to
/// write it again would cost more than reading its row.
#[derive(Clone, Debug, Serialize, FromSqlRow)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// `None`: it is no number.
    pub fn as_f64(&self) -> Option<f64> {
        // What JSON takes for a number Rust does too, and it says no without making a message of it.
        self.0.get().parse().ok()
    }
}

impl FromSql<Jsonb, Pg> for Json {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        // The first byte is the version of the format, of which there is one.
        match value.as_bytes() {
            [1, json @ ..] => Ok(Self(serde_json::from_slice(json)?)),
            _ => Err("not a jsonb of version 1".into()),
        }
    }
}

/// For `#[serde(deserialize_with)]`: an object and nothing else. serde_json takes `null` for an empty one.
pub fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(D::Error::custom("must be an object")),
    }
}
