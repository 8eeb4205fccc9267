//! Errors and warnings about a design, with their places.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FindingSeverity)]
pub enum Severity {
    /// The design cannot be run.
    Error,
    Warning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FindingCode)]
pub enum FindingCode {
    NotASurvey,
    BadQuestion,
    NotAFlow,
    UnknownName,
    DoubledName,
    BadName,
    NoPlace,
    TwoPlaces,
    ReadLater,
    ReadOtherArm,
    ReadMaybeLater,
    RowMissing,
    BadOperand,
    PatternPiped,
    BadPattern,
    BadPipe,
    TooManyTaken,
    NoChildren,
    BadWeight,
    WeightsNotKept,
    LatinTooLong,
    UnknownAttribute,
    TooManyQuestions,
    TooManyNodes,
    TooDeep,
    TooManyRows,
    BadRow,
    CellTooLong,
    ConstantCondition,
    ArmNotReached,
    NeverAsked,
    CheckOfText,
    BadCheck,
    BadCodes,
    BadPin,
    BadExclusive,
    BadSubset,
    EqualOptions,
    FieldNotSet,
}

/// One error or warning. The place is a JSON pointer into `{"questions": [..], "flow": [..], "tables": {..}}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
pub struct Finding {
    pub severity: Severity,
    pub code: FindingCode,
    #[schema(example = "/flow/2/if")]
    pub pointer: String,
    pub message: String,
}

impl Finding {
    pub fn error(code: FindingCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, pointer: pointer.into(), message: message.into() }
    }

    pub fn warning(code: FindingCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, pointer, message) }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A list of findings with one entry for each place and code, because an error in a loop occurs in each of its turns.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    seen: HashSet<(FindingCode, String)>,
}

impl Findings {
    pub fn add(&mut self, finding: Finding) {
        if self.seen.insert((finding.code, finding.pointer.clone())) {
            self.list.push(finding);
        }
    }

    pub fn error(&mut self, code: FindingCode, pointer: impl Into<String>, message: impl Into<String>) {
        self.add(Finding::error(code, pointer, message));
    }

    pub fn warning(&mut self, code: FindingCode, pointer: impl Into<String>, message: impl Into<String>) {
        self.add(Finding::warning(code, pointer, message));
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Finding::is_error)
    }

    /// Returns the findings, errors first, each group in the order found.
    pub fn into_list(mut self) -> Vec<Finding> {
        self.list.sort_by_key(|finding| finding.severity);
        self.list
    }
}

/// Appends a step to a JSON pointer.
pub fn below(pointer: &str, step: impl std::fmt::Display) -> String {
    let step = step.to_string().replace('~', "~0").replace('/', "~1");
    format!("{pointer}/{step}")
}

/// Returns the pointer of the first text with a NUL character, which PostgreSQL cannot store.
pub fn nul_in(value: &Value, pointer: &str) -> Option<String> {
    let is_bad = |text: &str| text.contains('\0');
    match value {
        Value::String(text) => is_bad(text).then(|| pointer.to_owned()),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| nul_in(item, &below(pointer, index))),
        Value::Object(fields) => fields.iter().find_map(|(key, field)| {
            let place = below(pointer, key.replace('\0', ""));
            if is_bad(key) { Some(place) } else { nul_in(field, &place) }
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

pub(super) fn pointer_of(path: &Path) -> String {
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => below(&pointer, index),
        Segment::Map { key } => below(&pointer, key),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}
