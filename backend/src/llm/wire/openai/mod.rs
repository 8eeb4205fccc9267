//! OpenAI's chat completions and Batch API, and the servers that have them too.

pub mod batches;
mod body;
mod rate_limits;
mod refusal;
mod reply;
mod stream;

use std::time::Instant;

use serde_json::value::RawValue;

pub use self::body::{encode_rest, omitted_params, open, read_messages, unsupported};
pub use self::refusal::{call_error, refused_parameter, refused_part};
pub use self::reply::{decode, stop_reason};
use self::stream::StreamedCompletion;
use super::encoded::SentReply;
use crate::llm::connection::{CallFailure, Connection, HeaderSlot};
use crate::llm::prompt::Sampling;

/// Path of a server's list of models.
pub const MODELS_PATH: &str = "/models";
/// Versions at the end of a base URL that the paths have already: none, the base URL names the version.
pub const VERSIONS: &[&str] = &[];

/// Headers of every request.
pub fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
}

/// Sends the body once.
pub async fn send(connection: &Connection, sampling: &Sampling, body: Box<RawValue>) -> SentReply {
    let start = Instant::now();
    let headers = HeaderSlot::default();
    let openai = match sampling.streams() {
        true => connection.openai_streaming::<StreamedCompletion>(headers.clone()),
        false => connection.openai(headers.clone()),
    };
    let reply = openai.chat().create_byot(body).await;
    let reply = reply.map(|body| (body, start.elapsed())).map_err(CallFailure::from);
    SentReply { reply, rate_limits: headers.get().map(rate_limits::read).unwrap_or_default() }
}
