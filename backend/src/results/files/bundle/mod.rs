//! A run, or a study with all its runs, as one zip, from which its files are built again byte for byte without a database, a
//! network or a clock.
//!
//! What was asked and answered stands in `survey/`, `run/` and `replies/`, and counts of people's answers, where there are some,
//! in `human/`, with their rows where the survey's author asked for them. Everything else is built from these, by the same
//! code when a bundle is written and when it is replayed. In the bundle of a study each run has a folder with all that its own
//! bundle has, and `study.json` names them. Figures have 10 significant digits, and their sums are made in the order of the
//! twins on one thread, so that every machine writes the same bytes.

mod analysis;
mod asked;
mod build;
mod calls;
mod data;
mod data_package;
mod ddi;
mod documents;
mod human;
mod io;
mod ledger;
mod paths;
mod plan;
mod prompts;
mod raw;
mod record;
mod replay;
pub mod reproduce;
mod request;
mod ro_crate;
mod rules;
mod store;
mod study;
mod study_record;
mod survey_text;
mod templates;
mod texts;
mod twins;
mod write;

pub use replay::{Difference, OtherVersion, RawReplies, Replay, replay};
pub use request::{BundleParts, BundleRequest, Bundled};
pub(super) use store::store;
pub(super) use write::zipped;
pub use write::{write, write_as, write_study};
