//! What an import kept, changed, lost and dropped, entry by entry.

use std::collections::HashSet;

use serde::Serialize;

/// Of what was there or is now, in characters.
const MAX_TEXT: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LossSeverity {
    /// The survey cannot be run before somebody decides about it.
    Error,
    /// Something that twins would have seen, or that decided what they see, is another one now.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
    EndOfSurvey,
    Looped,
    OtherText,
    ExclusiveOption,
    CarriedForward,
    ChoiceGroups,
    NeverShown,
    Order,
    Validation,
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

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ReportEntry {
    /// The question's id in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qid: Option<String>,
    /// The question's name in the design, or what a node of the flow is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub code: LossCode,
    pub severity: LossSeverity,
    pub was: String,
    pub now: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Questions of the file.
    pub questions: usize,
    /// Those in a block that the flow names.
    pub live: usize,
    /// Those of them that take an answer, counted as the file does: one question may have become several.
    pub asked: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LossReport {
    pub kept: Counts,
    pub changed: Vec<ReportEntry>,
    pub lost: Vec<ReportEntry>,
    pub dropped: Vec<ReportEntry>,
    #[serde(skip)]
    seen: HashSet<ReportEntry>,
}

impl LossReport {
    /// The same entry is kept once. What was there and is now is cut: a report names the place, and does not repeat whole
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
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
