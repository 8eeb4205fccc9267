//! Why a call of the Batch API failed.

use serde_json::Value;

use super::remote::is_about_room;
use crate::llm::connection::{CallFailure, Connection, HttpRefusal};
use crate::llm::wire::batch::BatchError;
use crate::llm::wire::openai::refusal;

pub fn batch_error(connection: &Connection, failure: CallFailure) -> BatchError {
    match failure {
        CallFailure::Refused(refused) => refused_batch(connection, &refused),
        CallFailure::Failed(error) => BatchError::Call(error.without_key(connection.key())),
    }
}

pub fn refused_batch(connection: &Connection, refused: &HttpRefusal) -> BatchError {
    let is_missing = matches!(refused.status.as_u16(), 404 | 405 | 501);
    let body: Value = serde_json::from_str(&refused.body).unwrap_or_default();
    let has_no_room = body.get("error").is_some_and(is_about_room);
    let error = refusal::call_error(refused).without_key(connection.key());
    match error {
        error if is_missing => BatchError::NotThere(error.to_string()),
        error if has_no_room => BatchError::NoRoom(error.to_string()),
        error => BatchError::Call(error),
    }
}
