//! Surveys of other programs as designs of this one. Pure: no database, no clock, and no address in a file is fetched.
//!
//! An importer makes a [`Document`] and a [`Report`] of everything that is not there as it was.

mod report;
mod text;

pub mod qsf;
pub mod surveyjs;

use serde_json::Value;

use crate::design::document::Document;

pub use report::{Counts, LossCode, LossReport, LossSeverity, ReportEntry, ReportList};

/// Of a file, in bytes.
pub const MAX_BYTES: usize = 10 << 20;
/// Of a file.
const MAX_QUESTIONS: usize = 2_000;

/// A survey of another program, whichever it is.
pub fn import(bytes: &[u8]) -> Result<Imported, ImportRefusal> {
    let survey = json(bytes)?;
    if surveyjs::is_survey(&survey) { surveyjs::import(&survey) } else { qsf::import(&survey) }
}

/// The file as JSON, with or without a mark of its byte order.
fn json(bytes: &[u8]) -> Result<Value, ImportRefusal> {
    if bytes.len() > MAX_BYTES {
        return Err(ImportRefusal::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| ImportRefusal::NotUtf8)?;
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| ImportRefusal::NotJson(error.to_string()))
}

#[derive(Clone, Debug)]
pub struct Imported {
    pub document: Document,
    pub report: LossReport,
}

/// Why a file is not imported at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    #[error("has more than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    #[error("is not UTF-8")]
    NotUtf8,
    #[error("is no JSON: {0}")]
    NotJson(String),
    #[error(
        "is no .qsf file, which has SurveyEntry and SurveyElements, and no survey of SurveyJS, which has pages or elements"
    )]
    NotKnown,
    #[error("has more than {0} questions")]
    TooManyQuestions(usize),
}
