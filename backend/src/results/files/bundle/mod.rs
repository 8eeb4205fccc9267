//! Writes a run, or a study with all its runs, as one zip, and checks such a zip.
//!
//! The crate [`bundle`](::bundle) says what a bundle stores and builds its files. Here the records are filled from the database,
//! and the files with prompts are built, since prompts are worded by the server.

mod asked;
mod calls;
mod human;
mod ledger;
mod plan;
mod prompts;
mod raw;
mod replay;
pub mod reproduce;
mod request;
mod store;
mod templates;
mod texts;
mod twins;
mod write;

pub use ::bundle::replay::{Difference, OtherVersion, RawReplies, Replay};
pub use replay::replay;
pub use request::{BundleParts, BundleRequest, Bundled};
pub(super) use store::store;
pub(super) use write::zipped;
pub use write::{write, write_as, write_study};
