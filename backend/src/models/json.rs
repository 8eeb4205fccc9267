//! JSON columns that are passed through as text.

use std::collections::BTreeMap;

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Jsonb;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use survey::answer::Answer;
use survey::question::Question;

/// The error for a JSON column that does not have the expected shape.
pub fn unreadable(error: serde_json::Error) -> diesel::result::Error {
    diesel::result::Error::DeserializationError(Box::new(error))
}

/// The text of a `jsonb`, not parsed. Lists hold thousands of them, and parsing costs more than reading the row.
#[derive(Clone, Debug, Serialize, Deserialize, FromSqlRow)]
#[serde(transparent)]
pub struct JsonText(Box<RawValue>);

impl JsonText {
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Decodes the answer to this question. Fails if the value is no answer to it.
    pub fn decode(&self, question: &Question) -> serde_json::Result<Answer> {
        Answer::decode(question, &mut serde_json::Deserializer::from_str(self.text()))
    }

    /// The values of an object of texts, by label; empty if it is anything else.
    pub fn labels(&self) -> BTreeMap<String, String> {
        serde_json::from_str(self.text()).unwrap_or_default()
    }

    /// The number; `None`: the value is no number.
    pub fn as_f64(&self) -> Option<f64> {
        // Rust parses every JSON number, and fails without allocating a message.
        self.0.get().parse().ok()
    }

    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> serde_json::Result<T> {
        serde_json::from_str(self.0.get())
    }
}

impl FromSql<Jsonb, Pg> for JsonText {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        // The first byte is the version of jsonb's binary format.
        match value.as_bytes() {
            [1, json @ ..] => Ok(Self(serde_json::from_slice(json)?)),
            _ => Err("not a jsonb of version 1".into()),
        }
    }
}
