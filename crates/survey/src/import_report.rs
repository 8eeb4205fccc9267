//! The report of an import: what was kept, changed, lost and dropped, entry by entry.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::finding::nul_in;

/// Maximum length of a text in an entry, in characters.
const MAX_TEXT_CHARACTERS: usize = 200;
/// Maximum number of entries in a report that comes with a survey's file.
const MAX_ENTRIES: usize = 20_000;

/// The program that made the survey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SurveyProgram {
    #[default]
    Qualtrics,
    SurveyJs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossSeverity {
    /// The survey cannot be run until somebody decides about the entry.
    Error,
    /// Something that twins see, or that decides what they see, has changed.
    Warning,
    Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportList {
    Changed,
    Lost,
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossCode {
    Name,
    ForceResponse,
    OneOption,
    SeveralQuestions,
    BlankText,
    EqualText,
    LongText,
    TooManyOptions,
    Codes,
    ColumnSeparator,
    MadeEven,
    RandomOrder,
    EndOfSurvey,
    Looped,
    OtherText,
    ExclusiveOption,
    CarriedForward,
    ChoiceGroups,
    NeverShown,
    Order,
    Validation,
    DefaultAnswer,
    Quota,
    Scoring,
    Translation,
    HiddenText,
    Image,
    Media,
    UnsupportedType,
    UnsetField,
    Pipe,
    Logic,
    Loop,
    QuestionSubset,
    SkipLogic,
    Script,
    Flow,
    Design,
    Trash,
    Unreferenced,
    Timing,
    EmptyField,
    EmptyText,
    Element,
}

impl LossCode {
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReportEntry {
    /// The question's id in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qid: Option<String>,
    /// The question's name in the design, or the name of a node of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub code: LossCode,
    pub severity: LossSeverity,
    pub was: String,
    pub now: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Number of questions in the file.
    pub questions: usize,
    /// Number of questions in blocks that the flow names.
    pub live: usize,
    /// Number of those that take an answer. Counts the questions of the file, of which one may have become several
    /// here.
    pub asked: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossReport {
    pub source: SurveyProgram,
    pub kept: Counts,
    pub changed: Vec<ReportEntry>,
    pub lost: Vec<ReportEntry>,
    pub dropped: Vec<ReportEntry>,
    #[serde(skip)]
    seen: HashSet<ReportEntry>,
}

impl LossReport {
    pub fn new(source: SurveyProgram) -> Self {
        Self { source, ..Self::default() }
    }

    /// Reads a report from a survey's file. Returns what is wrong with it as a sentence.
    pub fn read(value: Value) -> Result<Self, String> {
        if let Some(place) = nul_in(&value, "") {
            return Err(format!("{place}: contains a NUL character"));
        }
        let written: Self =
            serde_path_to_error::deserialize(value).map_err(|error| format!("{}: {}", error.path(), error.inner()))?;
        if written.entries().count() > MAX_ENTRIES {
            return Err(format!("has more than {MAX_ENTRIES} entries"));
        }
        // Adding each entry again cuts its texts to the length of an import's.
        let mut report = Self { kept: written.kept, ..Self::new(written.source) };
        for (list, entry) in written.entries() {
            report.add(list, entry.clone());
        }
        Ok(report)
    }

    /// Adds an entry unless an equal one is there. Cuts its texts: a report names places and does not repeat
    /// questionnaires.
    pub fn add(&mut self, list: ReportList, entry: ReportEntry) {
        let entry = ReportEntry { was: short(entry.was), now: short(entry.now), ..entry };
        if !self.seen.insert(entry.clone()) {
            return;
        }
        match list {
            ReportList::Changed => self.changed.push(entry),
            ReportList::Lost => self.lost.push(entry),
            ReportList::Dropped => self.dropped.push(entry),
        }
    }

    pub fn entries(&self) -> impl Iterator<Item = (ReportList, &ReportEntry)> {
        let of = |list: ReportList| move |entry| (list, entry);
        let changed = self.changed.iter().map(of(ReportList::Changed));
        changed
            .chain(self.lost.iter().map(of(ReportList::Lost)))
            .chain(self.dropped.iter().map(of(ReportList::Dropped)))
    }

    pub fn count(&self, severity: LossSeverity) -> usize {
        self.entries().filter(|(_, entry)| entry.severity == severity).count()
    }
}

fn short(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARACTERS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
