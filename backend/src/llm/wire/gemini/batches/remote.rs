//! A batch as Google describes it: a long-running operation.

use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::llm::wire::batch::{BatchEnd, RemoteBatch};
use crate::llm::wire::files::is_about_room;

#[derive(Clone, Debug, Deserialize)]
pub struct Operation {
    /// The name includes its collection, e.g. `batches/abc`.
    name: String,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    response: Value,
    #[serde(default)]
    error: Value,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    state: String,
    display_name: Option<String>,
    batch_stats: Stats,
    output: Value,
}

/// Google writes long numbers as texts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Stats {
    successful_request_count: Value,
    failed_request_count: Value,
}

impl Operation {
    /// The state without the collection that it is named after, e.g. `SUCCEEDED`.
    fn state(&self) -> &str {
        let state = &self.metadata.state;
        state.split_once("STATE_").map_or(state, |(_, state)| state)
    }

    fn end(&self) -> Option<BatchEnd> {
        match self.state() {
            "SUCCEEDED" | "PARTIALLY_SUCCEEDED" => Some(BatchEnd::Completed),
            "FAILED" if is_about_room(&self.error) => Some(BatchEnd::NoRoom),
            "FAILED" => Some(BatchEnd::Failed),
            "CANCELLED" => Some(BatchEnd::Cancelled),
            "EXPIRED" => Some(BatchEnd::Expired),
            _ => None,
        }
    }

    /// One that failed may bear the token of the one that came after it.
    pub fn is(&self, token: Uuid) -> bool {
        self.metadata.display_name.as_deref() == Some(token.to_string().as_str()) && self.state() != "FAILED"
    }
}

impl From<Operation> for RemoteBatch {
    fn from(operation: Operation) -> Self {
        let file = |output: &Value| output.get("responsesFile").and_then(Value::as_str).map(str::to_owned);
        let stats = &operation.metadata.batch_stats;
        let done = number(&stats.successful_request_count).saturating_add(number(&stats.failed_request_count));
        Self {
            status: operation.state().to_owned(),
            end: operation.end(),
            done,
            input_file_id: None,
            result_file_ids: file(&operation.response)
                .or_else(|| file(&operation.metadata.output))
                .into_iter()
                .collect(),
            complaint: operation.error.get("message").and_then(Value::as_str).map(str::to_owned),
            id: operation.name,
        }
    }
}

fn number(count: &Value) -> i32 {
    let number = count.as_i64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0);
    i32::try_from(number).unwrap_or(i32::MAX)
}
