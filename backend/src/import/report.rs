//! What an import kept, changed, lost and dropped, entry by entry.

use std::collections::HashSet;

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The survey cannot be run before somebody decides about it.
    Error,
    /// Something that twins would have seen, or that decided what they see, is another one now.
    Warning,
    Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum List {
    Changed,
    Lost,
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
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

impl Code {
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Entry {
    /// The question's id in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qid: Option<String>,
    /// The question's name in the design, or what a node of the flow is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub code: Code,
    pub severity: Severity,
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
pub struct Report {
    pub kept: Counts,
    pub changed: Vec<Entry>,
    pub lost: Vec<Entry>,
    pub dropped: Vec<Entry>,
    #[serde(skip)]
    seen: HashSet<Entry>,
}

impl Report {
    /// The same entry is kept once.
    pub fn add(&mut self, list: List, entry: Entry) {
        if !self.seen.insert(entry.clone()) {
            return;
        }
        match list {
            List::Changed => self.changed.push(entry),
            List::Lost => self.lost.push(entry),
            List::Dropped => self.dropped.push(entry),
        }
    }

    pub fn entries(&self) -> impl Iterator<Item = (List, &Entry)> {
        let of = |list: List| move |entry| (list, entry);
        let changed = self.changed.iter().map(of(List::Changed));
        changed.chain(self.lost.iter().map(of(List::Lost))).chain(self.dropped.iter().map(of(List::Dropped)))
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.entries().filter(|(_, entry)| entry.severity == severity).count()
    }
}
