//! Prompts: which questions go into one call, the order of their options, and the words of the call. A
//! [wire](crate::llm::wire) encodes them for a provider.
//!
//! The system message comes first and is the same in all calls of an interview, so that providers' prefix caches apply.

mod chunks;
mod content;
mod dialect;
mod item;
mod omitted;
mod order;
mod recipe;
mod sheet;
mod sizes;
mod system_message;
#[cfg(test)]
mod tests;
mod wording;

pub use survey::types::tokens_of;

pub use self::chunks::calls;
pub use self::content::{Prompt, Sampling, parameter_refusal};
pub use self::dialect::{Dialect, ReplyLimit, RequestPart, ResponseFormat, Streaming};
pub use self::item::{PromptItem, expected_tokens, max_tokens};
pub use self::omitted::{ModelParameter, OmittedParameters, reasoning_room};
pub use self::order::option_order;
pub use self::recipe::Recipe;
pub use self::sheet::Sheet;
pub use self::sizes::measure;
pub use self::system_message::SystemMessage;
