//! A run as one zip, from which its files are built again byte for byte without a database, a network or a clock.
//!
//! What was asked and answered stands in `survey/`, `run/` and `replies/`. Everything else is built from these three, by the
//! same code when a bundle is written and when it is replayed.

mod data;
mod documents;
mod manifest;
mod record;
mod replay;
mod write;

pub use replay::{Difference, Replay, replay};
pub(super) use write::build;
pub use write::write;

/// Of bundles. A reader takes its own and older ones.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const SURVEY: &str = "survey/survey.json";
const RUN: &str = "run/run.json";
const REPLIES: &str = "replies/replies.jsonl";

/// Written from what was stored. Everything else but the manifest is built.
const STORED: [&str; 3] = [SURVEY, RUN, REPLIES];
