//! Surveys of other programs as designs of this one. Pure: no database, no clock, and no address in a file is fetched.
//!
//! An importer makes a [`Document`] and a [`Report`] of everything that is not there as it was.

mod report;
mod text;

pub mod qsf;

use crate::design::document::Document;

pub use report::{Counts, LossCode, LossReport, LossSeverity, ReportEntry, ReportList};

/// Of a file, in bytes.
pub const MAX_BYTES: usize = 10 << 20;

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
    #[error("is no .qsf file: it has no SurveyEntry or no SurveyElements")]
    NotQsf,
    #[error("has more than {0} questions")]
    TooManyQuestions(usize),
}
