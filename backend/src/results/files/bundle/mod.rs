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
mod calls;
mod data;
mod data_package;
mod ddi;
mod documents;
mod human;
mod json_lines;
mod ledger;
mod manifest;
mod plan;
mod prompts;
mod raw;
mod record;
mod replay;
pub mod reproduce;
mod ro_crate;
mod rules;
mod seal;
mod store;
mod study;
mod survey_text;
mod templates;
mod texts;
mod twins;
mod unpack;
mod write;

use std::path::Path;

pub use replay::{Difference, OtherVersion, RawReplies, Replay, replay};
use rules::BuildRules;
pub(super) use store::store;
pub use store::{BundleParts, BundleRequest, Bundled};
pub(super) use write::zipped;
pub use write::{write, write_as, write_study};

use super::Run;
use crate::error::Result;

/// Format of bundles. A change of a stored file or of a table makes another one.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";

const SURVEY: &str = "survey/survey.json";
/// Of a survey of another program.
const IMPORT_REPORT: &str = "survey/import-report.json";
const RUN: &str = "run/run.json";
const TWINS: &str = "run/twins.csv";
const LEDGER: &str = "run/ledger.csv";
const CALLS: &str = "run/calls.jsonl";
const VALIDATION: &str = "run/validation.json";
/// Of a run whose study has a frozen plan.
const PLAN: &str = "run/plan.json";
/// Of a bundle with prompts.
const TEXTS: &str = "run/texts.jsonl";
const REPLIES: &str = "replies/replies.jsonl";
/// Of a run that keeps raw replies.
const RAW: &str = "replies/raw.jsonl";
const STUDY: &str = "study.json";

const DATA_PACKAGE: &str = "datapackage.json";
const RO_CRATE: &str = "ro-crate-metadata.json";

/// A file that is written as the database has it. Everything else but the manifest is built from these.
struct StoredFile {
    path: &'static str,
    /// Otherwise it is there only where it has something to tell.
    is_always_there: bool,
}

const fn always(path: &'static str) -> StoredFile {
    StoredFile { path, is_always_there: true }
}

const fn where_known(path: &'static str) -> StoredFile {
    StoredFile { path, is_always_there: false }
}

/// Of a run, below its folder.
const OF_RUN: [StoredFile; 14] = [
    always(SURVEY),
    always(RUN),
    always(TWINS),
    always(REPLIES),
    where_known(LEDGER),
    where_known(CALLS),
    where_known(VALIDATION),
    where_known(PLAN),
    where_known(IMPORT_REPORT),
    where_known(TEXTS),
    where_known(RAW),
    where_known(human::SAMPLES),
    where_known(human::AGGREGATES),
    where_known(human::ROWS),
];

/// Of a study, beside those of its runs.
const OF_STUDY: [StoredFile; 1] = [always(STUDY)];

/// Builds all files below `root`, which holds what a bundle stores.
fn build(root: &Path, rules: &BuildRules) -> Result<()> {
    if root.join(STUDY).is_file() { study::build(root, rules) } else { data::build(root, rules) }
}

/// What only the authors know is left to them by this mark.
const BLANK: &str = "[to be filled in by the authors]";

/// The name of the question at this place among those that take an answer.
fn question_name(run: &Run, place: usize) -> &str {
    &run.questions[place].name
}
