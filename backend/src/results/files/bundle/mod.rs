//! A run as one zip, from which its files are built again byte for byte without a database, a network or a clock.
//!
//! What was asked and answered stands in `survey/`, `run/` and `replies/`. Everything else is built from these three, by the
//! same code when a bundle is written and when it is replayed. Figures have 10 significant digits, and their sums are made in
//! the order of the twins on one thread, so that every machine writes the same bytes.

mod analysis;
mod data;
mod data_package;
mod ddi;
mod documents;
mod manifest;
mod plan;
mod prompts;
mod record;
mod replay;
mod ro_crate;
mod twins;
mod write;

use std::borrow::Cow;

pub use plan::PlanRecord;
pub use replay::{Difference, Replay, replay};
pub(super) use twins::twins;
pub(super) use write::build;
pub use write::write;

use super::Run;

/// Of bundles. A reader takes its own and older ones.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const SURVEY: &str = "survey/survey.json";
const RUN: &str = "run/run.json";
const REPLIES: &str = "replies/replies.jsonl";

const TWINS: &str = "run/twins.csv";
const DATA_PACKAGE: &str = "datapackage.json";
const RO_CRATE: &str = "ro-crate-metadata.json";

/// Written from what was stored. Everything else but the manifest is built.
const STORED: [&str; 4] = [SURVEY, RUN, TWINS, REPLIES];

/// What only the authors know is left to them by this mark.
const BLANK: &str = "[to be filled in by the authors]";

/// The name of the question at this place among those that take an answer; surveys of early versions have none.
fn question_name(run: &Run, place: usize) -> Cow<'_, str> {
    match run.questions.get(place).map(|question| question.name.as_str()) {
        Some(name) if !name.is_empty() => name.into(),
        _ => format!("q{}", place + 1).into(),
    }
}
