//! A batch as the server describes it.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

/// The batch's token in its metadata.
pub const TOKEN: &str = "twinlab_batch";

/// A batch as the server describes it. Servers leave out what they do not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RemoteBatch {
    pub id: String,
    #[serde(default)]
    status: String,
    pub input_file_id: Option<String>,
    pub output_file_id: Option<String>,
    pub error_file_id: Option<String>,
    #[serde(default)]
    request_counts: Option<Counts>,
    #[serde(default)]
    metadata: Option<HashMap<String, Value>>,
    #[serde(default)]
    errors: Value,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Counts {
    completed: i32,
    failed: i32,
}

impl RemoteBatch {
    /// The status in the server's word.
    pub fn status(&self) -> &str {
        &self.status
    }

    /// Some servers write it in capitals.
    fn is_one_of(&self, statuses: &[&str]) -> bool {
        statuses.iter().any(|status| self.status.eq_ignore_ascii_case(status))
    }

    /// Nothing more comes of it.
    pub fn has_ended(&self) -> bool {
        self.is_one_of(&["completed", "failed", "expired"]) || self.is_cancelled()
    }

    /// The server has finished the batch; otherwise the server broke it off.
    pub fn is_complete(&self) -> bool {
        self.is_one_of(&["completed"])
    }

    /// The server had no time for all of it.
    pub fn has_expired(&self) -> bool {
        self.is_one_of(&["expired"])
    }

    pub fn is_cancelled(&self) -> bool {
        self.is_one_of(&["cancelled", "canceled"])
    }

    /// The batch was refused because too many tokens wait in batches.
    pub fn had_no_room(&self) -> bool {
        let errors = self.errors.get("data").and_then(Value::as_array);
        self.is_one_of(&["failed"]) && errors.is_some_and(|errors| errors.iter().any(is_about_room))
    }

    /// Its calls that are done, well or not.
    pub fn done(&self) -> i32 {
        self.request_counts.map_or(0, |counts| counts.completed.saturating_add(counts.failed))
    }

    /// The first error that the server names.
    pub fn complaint(&self) -> Option<&str> {
        self.errors.pointer("/data/0/message")?.as_str()
    }

    pub fn is(&self, file: &str, token: Uuid) -> bool {
        let named = self.metadata.as_ref().and_then(|metadata| metadata.get(TOKEN)?.as_str());
        // One that failed for want of its file bears the token of the one that came after it.
        let is_named = named == Some(token.to_string().as_str()) && !self.is_one_of(&["failed"]);
        is_named || self.input_file_id.as_deref() == Some(file)
    }
}

/// Whether an error is about the tokens, or requests, that wait in batches at once. Servers share the code, not the words.
pub fn is_about_room(error: &Value) -> bool {
    let has = |name: &str, wanted: &[&str]| {
        let text = error.get(name).and_then(Value::as_str).unwrap_or_default().to_lowercase();
        wanted.iter().any(|word| text.contains(word))
    };
    has("code", &["token_limit_exceeded"]) || has("message", &["enqueued token", "enqueued request"])
}
