//! Anthropic's Messages and Message Batches.

pub mod batches;
mod body;
mod rate_limits;
mod refusal;
mod reply;
mod stream;

use chrono::Utc;
use serde_json::value::RawValue;

pub use self::body::{encode_rest, omitted_params, open, read_messages, unsupported};
pub use self::refusal::{call_error, refused_parameter, refused_part};
pub use self::reply::{decode, stop_reason};
use self::stream::StreamedMessage;
use super::encoded::SentReply;
use crate::llm::connection::Connection;
use crate::llm::prompt::Sampling;

/// Path of the list of models.
pub const MODELS_PATH: &str = "/v1/models";
/// Versions at the end of a base URL that the paths have already.
pub const VERSIONS: &[&str] = &["/v1"];

const VERSION: &str = "2023-06-01";

/// Headers of every request.
pub fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    let key = key.map(|key| ("x-api-key", key.to_owned()));
    [("anthropic-version", VERSION.to_owned())].into_iter().chain(key).collect()
}

/// Sends the body once.
pub async fn send(connection: &Connection, sampling: &Sampling, body: Box<RawValue>) -> SentReply {
    let (reply, headers) = connection.ask::<StreamedMessage>("/v1/messages", body, sampling.streams()).await;
    let rate_limits = headers.map(|headers| rate_limits::read(&headers, Utc::now())).unwrap_or_default();
    SentReply { reply, rate_limits }
}

#[cfg(test)]
mod tests;
