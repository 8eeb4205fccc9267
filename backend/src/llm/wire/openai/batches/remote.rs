//! A batch as the server describes it.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::llm::wire::batch::{BatchEnd, RemoteBatch};
use crate::llm::wire::files::is_about_room;

/// The batch's token in its metadata.
pub const TOKEN: &str = "twinlab_batch";

/// A batch as the server describes it. Servers leave out what they do not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ListedBatch {
    pub id: String,
    #[serde(default)]
    status: String,
    input_file_id: Option<String>,
    output_file_id: Option<String>,
    error_file_id: Option<String>,
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

impl ListedBatch {
    /// Some servers write it in capitals.
    fn is_one_of(&self, statuses: &[&str]) -> bool {
        statuses.iter().any(|status| self.status.eq_ignore_ascii_case(status))
    }

    fn end(&self) -> Option<BatchEnd> {
        let errors = || self.errors.get("data").and_then(Value::as_array).into_iter().flatten();
        match self.status.to_ascii_lowercase().as_str() {
            "completed" => Some(BatchEnd::Completed),
            "expired" => Some(BatchEnd::Expired),
            "cancelled" | "canceled" => Some(BatchEnd::Cancelled),
            "failed" if errors().any(is_about_room) => Some(BatchEnd::NoRoom),
            "failed" => Some(BatchEnd::Failed),
            _ => None,
        }
    }

    pub fn is(&self, file: &str, token: Uuid) -> bool {
        let named = self.metadata.as_ref().and_then(|metadata| metadata.get(TOKEN)?.as_str());
        // One that failed for want of its file bears the token of the one that came after it.
        let is_named = named == Some(token.to_string().as_str()) && !self.is_one_of(&["failed"]);
        is_named || self.input_file_id.as_deref() == Some(file)
    }
}

impl From<ListedBatch> for RemoteBatch {
    fn from(batch: ListedBatch) -> Self {
        let end = batch.end();
        let complaint = batch.errors.pointer("/data/0/message").and_then(Value::as_str);
        Self {
            complaint: complaint.map(str::to_owned),
            end,
            done: batch.request_counts.map_or(0, |counts| counts.completed.saturating_add(counts.failed)),
            result_file_ids: [batch.output_file_id, batch.error_file_id].into_iter().flatten().collect(),
            id: batch.id,
            status: batch.status,
            input_file_id: batch.input_file_id,
        }
    }
}
