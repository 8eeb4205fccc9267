//! JSON that is passed through as text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use survey::answer::Answer;
use survey::question::Question;

/// Whether a field has its default, which its JSON leaves out.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The text of a `jsonb`, not parsed. Lists hold thousands of them, and parsing costs more than reading the row.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "diesel", derive(diesel::deserialize::FromSqlRow))]
#[serde(transparent)]
pub struct JsonText(pub(crate) Box<RawValue>);

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
