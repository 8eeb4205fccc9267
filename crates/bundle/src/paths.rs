//! Paths of a bundle's files, and which of them are stored.

pub const SURVEY: &str = "survey/survey.json";
pub const SURVEY_TEXT: &str = "survey/survey.md";
/// Report of the import of a survey of another program.
pub const IMPORT_REPORT: &str = "survey/import-report.json";

pub const RUN: &str = "run/run.json";
pub const TWINS: &str = "run/twins.csv";
pub const LEDGER: &str = "run/ledger.csv";
pub const CALLS: &str = "run/calls.jsonl";
pub const VALIDATION: &str = "run/validation.json";
/// The frozen plan of the run's study.
pub const PLAN: &str = "run/plan.json";
/// The twins' texts, in a bundle with prompts.
pub const TEXTS: &str = "run/texts.jsonl";

pub const REPLIES: &str = "replies/replies.jsonl";
/// Raw replies, of a run that keeps them.
pub const RAW: &str = "replies/raw.jsonl";

pub const STUDY: &str = "study.json";

/// Samples of people.
pub const SAMPLES: &str = "human/samples.json";
/// How many people gave which answer.
pub const AGGREGATES: &str = "human/aggregates.csv";
/// People's answers, a row a person.
pub const ROWS: &str = "human/rows.csv";
/// Twins compared with people.
pub const PEOPLE_TABLE: &str = "analysis/tables/people.csv";

pub const TEMPLATES: &str = "prompts/templates.json";
/// Table of the answers as codes, below `data/`.
pub const CODES: &str = "matrix-codes.csv";
pub const DATA_PACKAGE: &str = "datapackage.json";
pub const RO_CRATE: &str = "ro-crate-metadata.json";

/// A file with what the database holds. Every other file but the manifest is built from these.
pub struct StoredFile {
    pub path: &'static str,
    /// Whether every bundle has the file, even without content.
    pub is_always_there: bool,
}

const fn always(path: &'static str) -> StoredFile {
    StoredFile { path, is_always_there: true }
}

const fn where_known(path: &'static str) -> StoredFile {
    StoredFile { path, is_always_there: false }
}

/// Stored files of a run, below its folder.
pub const OF_RUN: [StoredFile; 14] = [
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
    where_known(SAMPLES),
    where_known(AGGREGATES),
    where_known(ROWS),
];

/// Stored files of a study, beside those of its runs.
pub const OF_STUDY: [StoredFile; 1] = [always(STUDY)];
