//! A batch as Anthropic describes it.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::llm::wire::batch::{BatchEnd, RemoteBatch};

#[derive(Clone, Debug, Default, Deserialize)]
pub struct MessageBatch {
    pub id: String,
    #[serde(default)]
    processing_status: String,
    #[serde(default)]
    request_counts: Counts,
    pub created_at: Option<DateTime<Utc>>,
}

/// All but `processing` are 0 until the batch has ended.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct Counts {
    processing: usize,
    succeeded: usize,
    errored: usize,
    canceled: usize,
    expired: usize,
}

impl MessageBatch {
    pub fn has_ended(&self) -> bool {
        self.processing_status == "ended"
    }

    pub fn requests(&self) -> usize {
        let Counts { processing, succeeded, errored, canceled, expired } = self.request_counts;
        processing + succeeded + errored + canceled + expired
    }

    fn end(&self) -> Option<BatchEnd> {
        let Counts { canceled, expired, .. } = self.request_counts;
        self.has_ended().then_some(match (canceled, expired) {
            (1.., _) => BatchEnd::Cancelled,
            (0, 1..) => BatchEnd::Expired,
            (0, 0) => BatchEnd::Completed,
        })
    }
}

impl From<MessageBatch> for RemoteBatch {
    fn from(batch: MessageBatch) -> Self {
        let end = batch.end();
        let Counts { succeeded, errored, .. } = batch.request_counts;
        Self {
            // The results lie below the batch.
            result_file_ids: end.iter().map(|_| batch.id.clone()).collect(),
            id: batch.id,
            status: batch.processing_status,
            end,
            done: i32::try_from(succeeded + errored).unwrap_or(i32::MAX),
            input_file_id: None,
            complaint: None,
        }
    }
}
