//! OpenAI's chat completions and Batch API, and the servers that have them too.

pub mod batches;
mod body;
mod rate_limits;
mod refusal;
mod reply;
mod retry_after;

use std::time::Instant;

use serde_json::value::RawValue;

pub use self::batches::RemoteBatch;
pub use self::body::{encode_rest, omitted_params, open, read_messages};
pub use self::refusal::{call_error, refused_parameter, refused_part};
pub use self::reply::{decode, stop_reason};
use super::encoded::SentReply;
use crate::llm::connection::{CallFailure, Connection, HeaderSlot};

/// Path of a server's list of models.
pub const MODELS_PATH: &str = "/models";

/// Sends the body once.
pub async fn send(connection: &Connection, body: Box<RawValue>) -> SentReply {
    let start = Instant::now();
    let headers = HeaderSlot::default();
    let reply = connection.openai(headers.clone()).chat().create_byot(body).await;
    let reply = reply.map(|body| (body, start.elapsed())).map_err(CallFailure::from);
    SentReply { reply, rate_limits: headers.get().map(rate_limits::read).unwrap_or_default() }
}
