//! Google's generateContent and its batch mode.

pub mod batches;
mod body;
mod names;
mod refusal;
mod reply;
mod stream;
mod thinking;

use serde_json::value::RawValue;

pub use self::body::{encode_rest, omitted_params, open, read_messages, unsupported};
use self::names::path_of;
pub use self::refusal::{call_error, refused_parameter, refused_part};
pub use self::reply::{decode, stop_reason};
use self::stream::StreamedContent;
use super::encoded::SentReply;
use crate::llm::connection::Connection;
use crate::llm::outcome::RateLimitHeaders;
use crate::llm::prompt::Sampling;

/// Path of the list of models.
pub const MODELS_PATH: &str = "/v1beta/models";
/// Versions at the end of a base URL that the paths have already.
pub const VERSIONS: &[&str] = &["/v1beta", "/v1"];

/// Headers of every request.
pub fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("x-goog-api-key", key.to_owned())).into_iter().collect()
}

/// Sends the body once. Google reports no limits in headers.
pub async fn send(connection: &Connection, sampling: &Sampling, body: Box<RawValue>) -> SentReply {
    let streams = sampling.streams();
    let method = if streams { "streamGenerateContent?alt=sse" } else { "generateContent" };
    let (reply, _) = connection.ask::<StreamedContent>(&path_of(&sampling.model, method), body, streams).await;
    SentReply { reply, rate_limits: RateLimitHeaders::default() }
}

#[cfg(test)]
mod tests;
