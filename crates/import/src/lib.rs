//! Importers of other programs' surveys. The crate has no database or clock, and fetches no address in a file.
//!
//! An importer makes a [`Document`], and a [`LossReport`] of everything that was changed or lost.

pub mod text;

pub mod qsf;
pub mod surveyjs;

use serde_json::Value;
use survey::check;
use survey::document::{Document, MAX_TITLE_LENGTH};
use survey::finding::{Finding, FindingCode};

use survey::import_report::{Counts, LossCode, LossReport, LossSeverity, ReportEntry, ReportList, SurveyProgram};

/// Maximum size of a file, in bytes.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;
/// Maximum number of values in a file: objects, lists, texts, numbers and the others. Each takes much more memory than
/// its bytes.
pub const MAX_VALUES: usize = 500_000;
/// Maximum number of questions in a file.
const MAX_QUESTIONS: usize = 2_000;

/// Imports a survey of any supported program.
pub fn import(bytes: &[u8]) -> Result<Imported, ImportRefusal> {
    let survey = json(bytes)?;
    if surveyjs::is_survey(&survey) { surveyjs::import(&survey) } else { qsf::import(&survey) }
}

/// Parses the file as JSON, with or without a byte order mark.
fn json(bytes: &[u8]) -> Result<Value, ImportRefusal> {
    if bytes.len() > MAX_BYTES {
        return Err(ImportRefusal::TooLarge);
    }
    // The first bytes of gzip and zip.
    if [[0x1F, 0x8B], *b"PK"].iter().any(|beginning| bytes.starts_with(beginning)) {
        return Err(ImportRefusal::Compressed);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| ImportRefusal::NotUtf8)?;
    if count_values(text) > MAX_VALUES {
        return Err(ImportRefusal::TooManyValues);
    }
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| ImportRefusal::NotJson(error.to_string()))
}

/// Returns an upper bound of the number of values in the JSON, from its marks outside of texts: each value but the
/// first follows one.
fn count_values(json: &str) -> usize {
    let (mut values, mut is_in_text, mut is_escaped) = (1, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_in_text,
            b'"' => is_in_text = !is_in_text,
            b',' | b'[' | b'{' if !is_in_text => values += 1,
            _ => {}
        }
    }
    values
}

/// Returns a title of the permitted length that is not blank.
fn title(text: &str) -> String {
    let title: String = text.trim().chars().filter(|c| !c.is_control()).take(MAX_TITLE_LENGTH).collect();
    if title.trim().is_empty() { "Imported survey".to_owned() } else { title.trim().to_owned() }
}

/// Reports the findings of the design's check as errors, so that the survey cannot be run although the importer has no
/// rule for them. `read` is the document, or what has the wrong form. `names` are those of the questions.
fn report_findings(read: &Result<Document, Vec<Finding>>, names: &[Option<String>], report: &mut LossReport) {
    let findings = match read {
        Ok(document) => check::check(&document.design, &document.items, None).findings,
        Err(findings) => findings.clone(),
    };
    // What an import itself makes constant or unreachable is reported at its place.
    let is_told = |finding: &Finding| finding.is_error() || finding.code == FindingCode::FieldNotSet;
    for finding in findings.into_iter().filter(is_told) {
        let is_error = finding.is_error();
        let Finding { pointer: was, message: now, .. } = finding;
        let place = was.strip_prefix("/questions/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
        let name = place.and_then(|place| names.get(place)?.clone());
        let (code, severity, list) = match is_error {
            true => (LossCode::Design, LossSeverity::Error, ReportList::Lost),
            false => (LossCode::UnsetField, LossSeverity::Warning, ReportList::Changed),
        };
        report.add(list, ReportEntry { qid: None, name, code, severity, was, now });
    }
}

#[derive(Clone, Debug)]
pub struct Imported {
    pub document: Document,
    pub report: LossReport,
    /// Why the survey does not have the document's form and cannot even be kept as a draft.
    pub misfit: Option<Finding>,
}

impl Imported {
    /// Returns the document with the report of its import.
    pub fn into_document(self) -> Document {
        Document { import_report: Some(self.report), ..self.document }
    }
}

/// Reasons why a file is not imported at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    #[error("has more than {} MiB", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("has more than {MAX_VALUES} values")]
    TooManyValues,
    #[error("is not UTF-8: save it as UTF-8")]
    NotUtf8,
    #[error("is compressed: unpack it first")]
    Compressed,
    #[error("is no JSON: {0}")]
    NotJson(String),
    #[error(
        "is no .qsf file, which has SurveyEntry and SurveyElements, and no survey of SurveyJS, which has pages or elements"
    )]
    NotKnown,
    #[error("has more than {0} questions")]
    TooManyQuestions(usize),
    #[error("has more than {0} nodes and fields in its flow")]
    TooManyNodes(usize),
    #[error("has a question {0} with more than {1} choices")]
    TooManyChoices(String, usize),
}
